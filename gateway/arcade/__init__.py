"""The arcade: one web application that mounts the server of every platform, with local accounts and pages."""

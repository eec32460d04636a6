"""The house host: rules from ``games`` as RCADIA games, the tables they are played at, and who sits there."""

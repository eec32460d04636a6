"""How a radio is set up: which numbers are lawful, and how they get into Reticulum's configuration."""

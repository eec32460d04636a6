"""LoRa airtime: how long a packet is on the air, and how much of it a node may use. Pure."""

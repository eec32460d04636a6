"""The opponent in the house: engines for the three games, the process they think in, and the player."""

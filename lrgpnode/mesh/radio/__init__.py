"""RNodes of Reticulum: what their driver does and does not tell, and what is done about it."""

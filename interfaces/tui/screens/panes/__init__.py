"""The parts of the network screen, one a module; ``base`` says what each is."""

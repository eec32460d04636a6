"""The screens. ``registry`` lists them; ``base`` says what a screen is and what it gets."""

"""``lrgpnode doctor``: what is wrong, its cause and its fix.

``faults`` is the catalogue, ``checks`` find them, ``patient`` is what they look at. Nothing is changed
and no Reticulum is started; what needs Reticulum's code is handed in.
"""

"""Software RNodes and the air between them, in virtual time: no processes, clocks, files or threads.

``World`` is the whole of it. Whoever owns one moves its time on; interfaces/radio/simulator.py does so
with the clock of the machine and gives each device a pseudo-terminal.
"""

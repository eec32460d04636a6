"""The pages of the arcade: lobby, tables to watch and play at, results, and the hosting of games in a tab.

``site`` serves them; everything else is data in ``static``: plain HTML, CSS and ES modules, no build step,
nothing from another server. What the pages may do is said by the policy that goes with each (``headers``).
"""

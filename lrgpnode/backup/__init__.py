"""One verified file that holds a whole node, and putting it back (docs/backup.md).

``archive`` is the file, ``contents`` what of a data directory belongs into it, ``make`` and ``restore``
the two ways. Nothing here imports Reticulum: how an identity is checked is handed in.
"""

"""What can go wrong with a backup; ``str()`` is a sentence for a person."""

from __future__ import annotations


class BackupError(Exception):
    """A backup cannot be made or restored. ``kind`` is for programs, ``hint`` says what to do."""

    kind = "backup"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Refused(BackupError):
    """What was asked for would overwrite or mix up something; nothing was changed."""

    kind = "backup_refused"


class CannotWrite(BackupError):
    """The disk or its permissions; nothing was left behind."""

    kind = "cannot_write"


class BadBackup(BackupError):
    """The file is damaged, foreign, from a newer version, or made to do harm; nothing was changed."""

    kind = "bad_backup"

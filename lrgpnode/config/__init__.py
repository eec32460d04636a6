"""Settings and paths of a node. Imports nothing heavy.

``table`` is the one table of settings, ``kinds`` what a setting may be, ``reading`` the settings file,
``paths`` where the files are.
"""

from lrgpnode.config.kinds import ConfigError
from lrgpnode.config.paths import (
    DATABASE_NAME,
    LOCK_NAME,
    TOKENS_NAME,
    Paths,
    RunOptions,
    read_lock,
    resolve,
    service_installed,
    write_lock,
)
from lrgpnode.config.reading import Loaded, load, parse_settings, problems, read_settings
from lrgpnode.config.table import SETTINGS, Setting, Settings, hostname

__all__ = [
    "DATABASE_NAME",
    "LOCK_NAME",
    "SETTINGS",
    "TOKENS_NAME",
    "ConfigError",
    "Loaded",
    "Paths",
    "RunOptions",
    "Setting",
    "Settings",
    "hostname",
    "load",
    "parse_settings",
    "problems",
    "read_lock",
    "read_settings",
    "resolve",
    "service_installed",
    "write_lock",
]

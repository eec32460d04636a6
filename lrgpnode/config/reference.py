"""The reference page of the settings, made from the table.

``python -m lrgpnode.config.reference > docs/settings.md``
"""

from __future__ import annotations

import sys
from typing import Final

from lrgpnode.config.kinds import plain
from lrgpnode.config.table import SECTIONS, SETTINGS, Setting

_INTRODUCTION: Final = """\
# Settings

<!-- Made by `python -m lrgpnode.config.reference > docs/settings.md` from lrgpnode/config/table.py. -->

They are in `lrgpnode.toml` in the data directory of the node, or in the file that `lrgpnode run --config`
names. No setting and no file is needed. A key that is not in this page is an error, so that a slip does
not go unnoticed. Options of `lrgpnode run` go before the file.

```toml
[node]
name = "Harbour"

[announce]
interval_minutes = 360
```

The path of a file or directory may begin with `~`; a relative one begins at the directory of
`lrgpnode.toml`. A setting that is marked *at once* acts at once when it is set through the running node;
all others, and all that are changed with an editor, at the next start.
"""


def page() -> str:
    """The whole page."""
    lines = [_INTRODUCTION]
    for section, about in SECTIONS.items():
        lines += [f"## [{section}]", "", about, ""]
        lines += ["| setting | must be | default | acts | |", "| --- | --- | --- | --- | --- |"]
        lines += [_row(row) for row in SETTINGS.values() if row.section == section]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def default_words(row: Setting) -> str:
    """The default for people: a value, or what it depends on."""
    if row.default_words:
        return row.default_words
    value = plain(row.default())
    if value is None or value in ("", []):
        return "none"
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{shown}`" + (f" {row.unit}" if row.unit else "")


def _row(row: Setting) -> str:
    limits = f"{row.kind.words}, in {row.unit}" if row.unit else row.kind.words
    about = f"{row.help} Secret: the file must have mode 0600." if row.secret else row.help
    when = "at once" if row.live else "at start"
    return f"| `{row.key}` | {limits} | {default_words(row)} | {when} | {about} |"


if __name__ == "__main__":
    sys.stdout.write(page())

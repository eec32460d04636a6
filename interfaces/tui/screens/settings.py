"""The settings: of the identity that is shown, and of the node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import urwid

from interfaces.tui.kit import text
from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.rows import Rows
from interfaces.tui.kit.segments import Line
from interfaces.tui.live.world import Topic
from interfaces.tui.looks import SECTION
from interfaces.tui.models import settings
from interfaces.tui.models.settings import Row
from lrgpnode.protocol.value import Value

from . import identity
from .base import Desk, Json, Screen
from .prompt import ask

LONGEST = 600
"""Characters of a value: sixteen addresses."""

WIDE = 60


@dataclass(frozen=True, slots=True, repr=False)
class Heading(Value):
    text: str
    role: str = "heading"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Own(Value):
    """Something of the identity that is shown: ``what`` is ``name`` or ``policy``."""

    what: str
    label: str
    shown: str
    help: str


Item = Heading | Own | Row


class SettingsScreen(Screen):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._items: list[Item] = []
        self._open = False
        self._rows = Rows(
            desk.glyphs,
            count=lambda: len(self._items),
            draw=self._draw,
            selectable=lambda index: not isinstance(self._items[index], Heading),
            activate=lambda _: self._edit(),
            moved=lambda _: desk.refresh(),
        )

    @property
    def widget(self) -> urwid.Widget:
        return self._rows

    def shown(self) -> None:
        self._open = True
        self._want()
        self._make()

    def hidden(self) -> None:
        self._open = False
        self.desk.world.answers.want()

    def changed(self, topic: Topic) -> None:
        if self._open and topic in (Topic.ANSWERS, Topic.STATE):
            self._make()

    def title(self) -> tuple[str, str]:
        return "Settings", self.desk.world.my_name

    def status(self) -> str:
        match self._chosen():
            case Own() as own:
                return own.help
            case Row() as row:
                note = f" ({row.note})" if row.note else ""
                return f"{row.key}{note}: {row.help}"
            case _:
                return self.desk.world.answers.trouble

    def hints(self) -> Sequence[Hint]:
        chosen = self._chosen()
        back = [Hint("u", "default")] if isinstance(chosen, Row) and chosen.changed else []
        return [
            Hint("enter", "change"),
            *back,
            Hint("?", "help", last=True),
            Hint("esc", "back", last=True),
        ]

    def help(self) -> tuple[str, Sequence[tuple[str, str]], Sequence[str]]:
        keys = [
            ("enter", "change it"),
            ("u", "take it out of the settings file: the default holds again"),
            ("esc", "back to the games"),
        ]
        notes = [
            f"{self.desk.glyphs['unread']} is not the default. Some settings act when the node starts again; "
            "the line below says so then.",
            "Options of the command lrgpnode tui go before the settings of this screen.",
        ]
        chosen = self._chosen()
        if isinstance(chosen, Row):
            notes.insert(0, f"{chosen.key}: {chosen.help} It must be {chosen.limits}.")
        return "Settings", keys, notes

    def key(self, key: str) -> bool:
        chosen = self._chosen()
        if key == "u" and isinstance(chosen, Row) and chosen.changed:
            self.desk.act("node.config_unset", {"key": chosen.key}, self._done)
            return True
        return False

    def _want(self) -> None:
        me = self.desk.world.me
        self.desk.world.answers.want(("node.config_show", {}), ("identity.policy", {"identity": me}))

    def _make(self) -> None:
        world, before = self.desk.world, self._chosen()
        shown = world.answers.get("node.config_show")
        items: list[Item] = [Heading(f"You: {world.my_name}"), *self._own()]
        for section in settings.sections(shown):
            items += [Heading(section.title), *section.rows]
        if shown is None:
            items.append(Heading(world.answers.trouble or "Loading.", "text"))
        elif shown.get("problem"):
            items.insert(0, Heading(f"{self.desk.glyphs['warning']} {shown['problem']}", "bad"))
        self._items = items
        same = (at for at, item in enumerate(items) if before is not None and _same(item, before))
        self._rows.changed(next(same, None))
        self.desk.refresh()

    def _own(self) -> list[Own]:
        world = self.desk.world
        policy = settings.policies(world.answers.get("identity.policy"), world.names)
        return [
            Own(what="name", label="Your name", shown=world.my_name, help="What others see of you."),
            Own(
                what="policy",
                label="Challenges taken",
                shown=policy,
                help="Whose challenges this identity takes. Games that go on are not touched.",
            ),
        ]

    def _chosen(self) -> Item | None:
        at = self._rows.chosen if self._items else None
        return None if at is None else self._items[at]

    def _edit(self) -> None:
        world = self.desk.world
        match self._chosen():
            case Own(what="name"):
                identity.rename(self.desk, world.me, world.my_name)
            case Own():
                identity.choose_policy(self.desk, world.me, world.my_name)
            case Row() as row if row.options:
                options = settings.labels(row)
                values = dict(zip((key for key, _ in options), row.options, strict=False))
                self.desk.layers.choose(row.help, options, lambda key: self._set(row, values[key]))
            case Row() as row:
                ask(
                    self.desk,
                    row.key,
                    f"{row.help} It must be {row.limits}.",
                    lambda typed: self._set(row, typed),
                    value=settings.plain(row.value),
                    most=LONGEST,
                )
            case _:
                return

    def _set(self, row: Row, typed: str) -> None:
        try:
            value = settings.typed(row, typed)
        except ValueError as error:
            self.desk.say(str(error), trouble=True)
        else:
            self.desk.act("node.config_set", {"key": row.key, "value": value}, self._done)

    def _done(self, result: Json) -> None:
        self.desk.say(settings.changed(result))
        if str(result["key"]).startswith(f"{SECTION}."):
            self.desk.load_looks()
        self.desk.world.answers.reload()

    def _draw(self, index: int, columns: int, focus: bool) -> Line:
        item = self._items[index]
        glyphs, script = self.desk.glyphs, self.desk.glyphs.script
        if isinstance(item, Heading):
            return ((item.role, f" {item.text}"),)
        base, faint = ("focus", "focus faint") if focus else ("row", "faint")
        mark = glyphs["cursor"] if focus else " "
        wide = columns >= WIDE
        label = 28 if wide else 19
        note = f" ({item.note})" if isinstance(item, Row) and item.note else ""
        changed = glyphs["unread"] if isinstance(item, Row) and item.changed else " "
        shown = text.pad(f"{item.shown}{note}", max(8, columns - label - 6), script)
        return ((base, f"{mark} {changed} {text.pad(item.label, label, script)} "), (faint, shown))


def _same(item: Item, before: Item) -> bool:
    if isinstance(item, Row) and isinstance(before, Row):
        return item.key == before.key
    if isinstance(item, Own) and isinstance(before, Own):
        return item.what == before.what
    return False

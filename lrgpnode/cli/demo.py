"""``lrgpnode demo``: a game over simulated radio, with nothing to set up."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from queue import Empty
from typing import TYPE_CHECKING, Any, Final

import click

from lrgpnode.cli.context import write
from lrgpnode.cli.exits import CliError, Exit, sentence
from lrgpnode.cli.play import ALIASES
from lrgpnode.cli.text import clean

if TYPE_CHECKING:
    from interfaces.demo.air import Packet
    from interfaces.demo.stage import Stage

WAIT_SECONDS: Final = 180.0
"""For what comes over the air: with retries it takes a minute on slow settings."""

HEARING_SECONDS: Final = 25.0
"""For the announce of the hill, which comes at a random moment of the first ten."""

HOUSE: Final = "house"


@click.command()
@click.option("--game", "app", metavar="APP", default="ttt", show_default=True, help="What to play.")
@click.option(
    "--preset", metavar="NAME", default="reticulum", show_default=True, help="Settings of the radios' modems."
)
@click.option(
    "--level", type=click.IntRange(1, 99), default=1, show_default=True, help="How strong the opponent is."
)
@click.option("--name", metavar="NAME", default="you", show_default=True, help="What others call you.")
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 100),
    default=1,
    show_default=True,
    help="How many times faster than real the air is.",
)
@click.option("--text", is_flag=True, help="Lines and questions, also where the interface could be opened.")
def demo(app: str, preset: str, level: int, name: str, speed: float, text: bool) -> int:
    """Play over LoRa without a radio.

    Starts two RNodes in software, as slow as real ones, a node on a hill with an opponent in its house,
    and a node of yours that knows no more of it than it hears. Opens the interface on your node and shows
    there what each move costs on the air; without a terminal it asks for the moves line by line.
    When you end it, by q or Ctrl-C, all of it ends, and nothing is left.
    """
    from firmware_configs.catalogue import UnknownName, preset as named  # noqa: PLC0415
    from interfaces.demo.stage import Stage, StageError  # noqa: PLC0415
    from interfaces.tui.kit.look import refusal  # noqa: PLC0415 - as below
    from lrgpnode.control.client import CallFailed, ClientError  # noqa: PLC0415

    try:
        chosen = named(preset)
    except UnknownName as error:
        raise click.BadParameter(str(error), param_hint="--preset") from None
    pace = "as slow as real air" if speed == 1 else f"{speed:g} times as fast as real air"
    write(f"A LoRa channel in software, {pace}: {chosen.title}.")
    write("On it: your node, and one on a hill with an opponent in its house. They are starting.")
    lines = text or refusal(os.environ, sys.stdin.isatty(), sys.stdout.isatty()) is not None
    code = 0
    try:
        with Stage(chosen, level, name, speed) as stage:
            guide = _Guide(stage, ALIASES.get(app, app))
            if lines:
                guide.play()
            else:
                code = _screen(stage, guide.challenge())
    except (KeyboardInterrupt, EOFError):
        write("")
    except CallFailed as error:
        raise CliError(Exit.FAILED, error.kind, sentence(error.message), error.hint) from None
    except (StageError, ClientError) as error:
        raise CliError(Exit.FAILED, "demo", sentence(str(error))) from None
    write("All of it has ended, and nothing is left.")
    return code


def _screen(stage: Stage, game: str) -> int:
    """The interface on the user's node, with this game and what goes over the air; its exit code."""
    from interfaces.demo.stage import YOU  # noqa: PLC0415 - other commands do without
    from interfaces.demo.watch import AirFeed  # noqa: PLC0415
    from interfaces.tui.app import run  # noqa: PLC0415
    from interfaces.tui.options import Options  # noqa: PLC0415

    return run(
        Options(
            path=lambda: stage.client().path,
            data=stage.data,
            no_start="Your node of the demonstration has ended.",
            session=game,
            feed=AirFeed(stage.news, YOU),
        )
    )


class _Guide:
    """Leads a person through one game."""

    def __init__(self, stage: Stage, app: str) -> None:
        self._stage = stage
        self._app = app
        self._client = stage.client()
        self._airtime: dict[str, float] = {}
        self._began = 0.0

    def challenge(self) -> str:
        """Meet the house and challenge it, without waiting for an answer; the game."""
        house = self._meet()
        return str(self._client.call("game.challenge", peer=house, app=self._app)["id"])

    def _meet(self) -> str:
        """Wait for the nodes, and until the house on the hill was heard, or should have been; its address."""
        self._stage.wait_until_up()
        with self._stage.client("hill") as hill:
            identities = hill.call("identity.list")["identities"]
        house = str(next(one["hash"] for one in identities if one.get("role") == HOUSE))
        write("Both radios are on. Now the hill has to be heard; that takes some seconds.")
        if self._until(lambda event: _heard(event, house), HEARING_SECONDS):
            write("You hear the house on the hill.")
        else:
            write("Its announce was lost on the air; your node asks for it.")
        return house

    def play(self) -> None:
        house = self._meet()
        write(f"Your node is at `lrgpnode --data {self._stage.data}`, as long as this runs.")
        write("You challenge the house:")
        id = self._act("game.challenge", peer=house, app=self._app)["id"]
        self._need(_is(id, "accept"))
        while not (game := self._client.call("game.show", id=id))["view"]["result"]:
            if game["view"]["my_turn"]:
                self._board(game)
                self._move(id)
            else:
                self._need(_is(id, None))
        self._board(game)
        total = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in sorted(self._airtime.items()))
        write(f"\nOn the air in this game, with announces and proofs: {total}.")

    def _board(self, game: Mapping[str, Any]) -> None:
        from lrgpnode.cli.board import grid  # noqa: PLC0415 - other commands do without

        view = game["view"]
        write("\n" + "\n".join(f"    {line}" for line in grid(view)) + "\n")
        write(sentence(clean(view["status_line"])) if view["status_line"] else "")

    def _move(self, id: str) -> None:
        from lrgpnode.control.client import CallFailed  # noqa: PLC0415 - other commands do without

        while True:
            legal = self._client.call("game.show", id=id)["view"]["legal"]
            labels = ", ".join(clean(move["label"], 32) for move in legal[:40])
            typed = click.prompt(f"Your move ({labels}; q ends)", prompt_suffix=": ").strip()
            if typed in ("q", "quit"):
                raise EOFError
            try:
                self._act("game.move", id=id, move=typed)
            except CallFailed as error:
                write(sentence(error.message))
                continue
            return

    def _act(self, method: str, **params: Any) -> dict[str, Any]:
        """An action of the user's, until it is delivered; what was heard before is shown first."""
        self._show_what_came()
        self._began = time.monotonic()
        result = self._client.call(method, **params)
        self._need(lambda event: _delivered(event, result["id"]))
        write(f"  delivered {time.monotonic() - self._began:.1f} s after you acted")
        return result

    def _show_what_came(self) -> None:
        try:
            while True:
                self._told(self._stage.news.get_nowait())
        except Empty:
            return

    def _need(self, matches: Callable[[Mapping[str, Any]], bool]) -> None:
        """As ``_until``. Raises ``StageError`` if it does not come."""
        from interfaces.demo.stage import StageError  # noqa: PLC0415 - other commands do without

        if not self._until(matches, WAIT_SECONDS):
            raise StageError("what should come over the air does not come")

    def _until(self, matches: Callable[[Mapping[str, Any]], bool], seconds: float) -> bool:
        """Show what goes over the air until such an event of the user's node; False if none comes."""
        until = time.monotonic() + seconds
        while True:
            try:
                news = self._stage.news.get(timeout=max(0.0, until - time.monotonic()))
            except Empty:
                return False
            if self._told(news, matches):
                return True

    def _told(
        self,
        news: Packet | Mapping[str, Any] | None,
        matches: Callable[[Mapping[str, Any]], bool] = lambda _: False,
    ) -> bool:
        from interfaces.demo.air import Packet  # noqa: PLC0415 - other commands do without
        from interfaces.demo.stage import StageError  # noqa: PLC0415

        if news is None:
            raise StageError("your node has ended")
        if not isinstance(news, Packet):
            return matches(news)
        self._airtime[news.node] = self._airtime.get(news.node, 0.0) + news.seconds
        frames = " + ".join(map(str, news.frames))
        what = news.kind.value if news.heard else f"{news.kind.value}, received by nobody"
        write(f"  {news.node:<5} {frames:>9} bytes  {news.seconds:5.2f} s on the air  {what}")
        return False


def _is(id: str, command: str | None) -> Callable[[Mapping[str, Any]], bool]:
    """Events of an action of the peer in a game."""

    def matches(event: Mapping[str, Any]) -> bool:
        data = event["data"]
        ours = event["type"] == "game.applied" and data["id"] == id and not data["own"]
        return ours and command in (None, data["command"])

    return matches


def _heard(event: Mapping[str, Any], peer: str) -> bool:
    return bool(event["type"] == "peer.heard" and event["data"]["peer"] == peer)


def _delivered(event: Mapping[str, Any], id: str) -> bool:
    """Delivered, or answered, which shows the same."""
    data = event["data"]
    if event["type"] == "game.delivery":
        return bool(data["id"] == id and data["state"] in ("delivered", "confirmed"))
    return _is(id, None)(event)

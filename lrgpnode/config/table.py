"""The one table of what ``lrgpnode.toml`` may contain.

A setting is added by one row of ``Settings``. Its key is the name of the field with a dot for the first
``_``: ``announce_interval_minutes`` is ``interval_minutes`` under ``[announce]``. The row drives reading
and checking the file, ``lrgpnode config``, docs/settings.md and ``doctor``; the code reads the field.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

from lrgpnode.config.kinds import (
    Kind,
    address,
    choice,
    flag,
    folder,
    listening,
    number,
    remote,
    route,
    several,
    text,
    title,
    web_address,
    whole,
)
from lrgpnode.protocol.value import Value

T = TypeVar("T")

_ROW: Final = "row"

HOSTING: Final = ("arcade", "rcadia")
"""Platforms at which the gateway can keep tables of its own."""

PLATFORMS: Final = (*HOSTING, "agentgames")
"""Places on the web where games are played, as `gateway.start` knows them."""

SEATED: Final = ("chess", "ttt", "four_in_a_row")
"""Games that are played there."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Setting(Value):
    """A row of the table as those see it that go through all rows.

    ``live``: it acts at once when it is set through the running node; else at the next start.
    ``default`` makes the default; ``default_words`` says what it is where it depends on the machine.
    """

    key: str
    field: str
    kind: Kind[Any]
    default: Callable[[], Any]
    default_words: str
    help: str
    unit: str
    live: bool
    secret: bool

    @property
    def section(self) -> str:
        return self.key.partition(".")[0]


def setting(
    kind: Kind[T],
    default: T | Callable[[], T],
    help: str,
    *,
    unit: str = "",
    live: bool = False,
    secret: bool = False,
    default_words: str = "",
) -> T:
    """One row: what it may be, its default (called each time if it can be), one sentence of help."""
    make = default if callable(default) else lambda: default
    row = {
        "kind": kind,
        "default": make,
        "default_words": default_words,
        "help": help,
        "unit": unit,
        "live": live,
        "secret": secret,
    }
    # As with dataclasses.field(), the declared type is what the finished object holds.
    column: T = field(default_factory=make, repr=not secret, metadata={_ROW: row})
    return column


def hostname() -> str:
    """The name of this machine, without its domain."""
    return os.uname().nodename.partition(".")[0] or "lrgpnode"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings(Value):
    """The settings of a node, checked. ``Settings()`` are the defaults."""

    node_name: str = setting(
        title(64),
        hostname,
        "Name of the node, also of its first identity.",
        default_words="the name of the machine",
    )
    node_log_level: str = setting(
        choice("debug", "info", "warning", "error"), "info", "How much is logged.", live=True
    )

    rns_config_dir: Path | None = setting(
        folder(),
        None,
        "Reticulum's configuration directory.",
        default_words="the machine's usual one",
    )

    announce_interval_minutes: int = setting(
        whole(0, 10_080), 180, "Pause between announces; 0 for none but the first.", unit="minutes", live=True
    )
    announce_at_start_seconds: int = setting(
        whole(0, 3600), 5, "When to announce after the start.", unit="seconds"
    )
    announce_shared_is_radio: bool = setting(
        flag(),
        True,
        "Whether another program's Reticulum, which this node uses, may send by radio: then at most hourly.",
    )

    accept_from: str = setting(
        choice("open", "everyone", "known", "contacts", "nobody"),
        "everyone",
        "Whose challenges are taken by identities without a policy of their own; with `everyone` those "
        "of strangers wait as requests, with `open` they do not.",
        live=True,
    )

    messages_max_kilobytes: int = setting(
        whole(1, 64),
        16,
        "Largest message taken over a link or from a propagation node; larger ones are left there.",
        unit="kilobytes",
    )

    propagation_nodes: tuple[str, ...] = setting(
        several(address(), 16),
        (),
        "Propagation nodes for peers that are not there, in the order in which they are tried.",
    )
    propagation_auto: bool = setting(
        flag(), True, "Whether propagation nodes heard on the mesh are used, after those that are listed."
    )
    propagation_sync_minutes: int = setting(
        whole(0, 10_080),
        60,
        "Pause between fetching mail from propagation nodes; 0 for only on request.",
        unit="minutes",
    )
    propagation_max_stamp_cost: int = setting(
        whole(13, 30),
        20,
        "Dearest proof of work made for a propagation node; each step doubles the work.",
        unit="bits",
    )
    propagation_host: bool = setting(
        flag(), False, "Whether this node is itself a propagation node, which keeps mail for others."
    )
    propagation_host_megabytes: int = setting(
        whole(1, 10_000), 20, "Most that our propagation node keeps on the disk.", unit="megabytes"
    )
    propagation_host_message_kilobytes: int = setting(
        whole(1, 1000), 64, "Largest message that our propagation node takes.", unit="kilobytes"
    )
    propagation_host_transfer_kilobytes: int = setting(
        whole(1, 100_000),
        1024,
        "Most that our propagation node takes from another one at a time.",
        unit="kilobytes",
    )
    propagation_host_stamp_cost: int = setting(
        whole(13, 26), 16, "Proof of work that our propagation node asks for a message.", unit="bits"
    )
    propagation_host_peering_cost: int = setting(
        whole(1, 26), 18, "Proof of work that other nodes make once to exchange mail with ours.", unit="bits"
    )
    propagation_host_peers: tuple[str, ...] = setting(
        several(address(), 16), (), "Propagation nodes that ours exchanges mail with in any case."
    )
    propagation_host_max_peers: int = setting(
        whole(0, 100),
        0,
        "How many nodes ours may exchange mail with in all; it finds those that are not named by itself.",
    )

    house_enabled: bool = setting(flag(), True, "Whether the node has an opponent of its own, the house.")
    house_level: int = setting(
        whole(1, 5), 2, "Level at which the house plays where a challenge names none, 1 the easiest."
    )
    house_open_to_peers: bool = setting(
        flag(), False, "Whether the house is announced and plays with peers on the mesh, too."
    )
    house_max_games: int = setting(
        whole(1, 64), 4, "Games that the house plays with peers on the mesh at a time."
    )
    house_max_games_per_peer: int = setting(whole(1, 16), 1, "The same, with one peer.")
    house_games_per_day: int = setting(
        whole(1, 1000), 20, "Games with peers on the mesh that the house begins in a day."
    )
    house_pause_seconds: int = setting(
        whole(0, 3600), 5, "How long the house lets a peer on the mesh wait at least.", unit="seconds"
    )

    text_enabled: bool = setting(
        flag(),
        True,
        "Whether text commands are answered: by the gateway's identity, and by those that are listed.",
    )
    text_identities: tuple[str, ...] = setting(
        several(title(64), 32),
        (),
        "Other identities that answer text commands, by name or hash; only such as begin with `/`, since "
        "people write to them, too.",
    )
    text_max_games: int = setting(whole(1, 32), 8, "Games that one text player may have at a time.")
    text_commands_per_minute: int = setting(
        whole(1, 60), 12, "Commands of one text player that are carried out in a minute."
    )
    text_commands_per_day: int = setting(
        whole(1, 10_000), 400, "The same, in 24 hours; counted anew after a start."
    )

    gateway_enabled: bool = setting(
        flag(), False, "Whether the node has an identity that takes players of the mesh to tables elsewhere."
    )
    gateway_players: str = setting(
        choice("everyone", "contacts", "listed"),
        "contacts",
        "Who gets a seat, beside the identities of this node and those in `gateway.allow`.",
        live=True,
    )
    gateway_allow: tuple[str, ...] = setting(
        several(address(), 256), (), "Players who get a seat in any case.", live=True
    )
    gateway_block: tuple[str, ...] = setting(several(address(), 256), (), "Players who get none.", live=True)
    gateway_routes: tuple[str, ...] = setting(
        several(route(SEATED, PLATFORMS), 16),
        (),
        "Where a challenge goes that names no table, for each game, such as `chess=rcadia`.",
        live=True,
    )
    gateway_max_seats: int = setting(whole(1, 64), 4, "Seats at one platform at a time.")
    gateway_max_seats_per_player: int = setting(whole(1, 16), 1, "Seats of one player at a time.")
    gateway_seats_per_day: int = setting(whole(1, 1000), 10, "Games that one player begins in 24 hours.")
    gateway_wait_minutes: int = setting(
        whole(1, 1440), 60, "How long a seat is kept at which nobody sits down.", unit="minutes"
    )
    gateway_thinking_seconds: int = setting(
        whole(0, 3600),
        10,
        "What a player should have for a move beside its way by radio, where a platform limits moves; who "
        "has less gets a seat only if he insists.",
        unit="seconds",
    )
    gateway_insist_minutes: int = setting(
        whole(1, 60), 10, "How long it counts as insisting to challenge again after that.", unit="minutes"
    )
    gateway_show_names: bool = setting(
        flag(), True, "Whether players are shown at tables by the names that they announce."
    )

    rcadia_url: str = setting(
        web_address(),
        "",
        "Address of an RCADIA server whose tables players get seats at, such as `https://api.rcadia.xyz`.",
        default_words="none",
    )
    rcadia_plain_http: bool = setting(
        flag(), False, "Whether tokens may go to that server without encryption, in a private network."
    )

    agentgames_url: str = setting(
        web_address("ws", "wss"),
        "",
        "Address of an AgentGames server where players get rated matches, such as `wss://bbs.profullstack.com`.",
        default_words="none",
    )
    agentgames_plain_http: bool = setting(
        flag(), False, "Whether tokens may go to that server without encryption, in a private network."
    )
    agentgames_ssh: str = setting(
        remote(),
        "",
        "Host of an AgentGames server that is reached by SSH instead, such as `bbs.profullstack.com:22`.",
        default_words="none",
    )
    agentgames_move_seconds: int = setting(
        whole(1, 3600),
        15,
        "Time for a move at that server, which it does not say itself; whoever oversteps it loses.",
        unit="seconds",
    )
    agentgames_queue_seconds: int = setting(
        whole(1, 86_400), 120, "How long that server waits for an opponent at a time.", unit="seconds"
    )

    hosting_games: tuple[str, ...] = setting(
        several(text(32), 8), (), "Games for which the gateway keeps open tables, such as `chess`."
    )
    hosting_platform: str = setting(
        choice(*HOSTING), "arcade", "Where it keeps them; it needs an account called `host` there."
    )
    hosting_open_tables: int = setting(whole(1, 8), 1, "Tables of each game at which somebody can sit down.")
    hosting_max_tables: int = setting(whole(1, 32), 4, "Most tables of one game.")
    hosting_house: bool = setting(
        flag(), True, "Whether the house sits down with somebody from the web for whom nobody comes."
    )
    hosting_house_after_seconds: int = setting(
        whole(0, 3600), 30, "How long it waits for a player of the mesh.", unit="seconds"
    )
    hosting_turn_seconds: int = setting(
        whole(0, 86_400), 600, "Time for a move at these tables; 0 for no clock.", unit="seconds"
    )
    hosting_seek_minutes: int = setting(
        whole(1, 1440), 60, "How long a player of the mesh waits for an opponent.", unit="minutes"
    )

    arcade_enabled: bool = setting(
        flag(), False, "Whether the node runs the arcade, a web server for games; needs `lrgpnode[gateway]`."
    )
    arcade_listen: str = setting(
        listening(),
        "127.0.0.1:8820",
        "Where the arcade listens. As it is only this machine reaches it; 0.0.0.0:8820 opens it to all.",
    )
    arcade_public_url: str = setting(
        web_address(),
        "",
        "Where others reach the arcade, for links in its answers.",
        default_words="the address that each request came to",
    )
    arcade_calls_per_second: int = setting(
        whole(1, 100_000), 5000, "How often one account may call the arcade in the long run."
    )
    arcade_ssh_listen: str = setting(
        listening(nowhere=True),
        "",
        "Where programs play at the ladder over SSH, such as 127.0.0.1:8822; needs `lrgpnode[ssh]`.",
        default_words="nowhere",
    )
    arcade_games_move_seconds: int = setting(
        whole(1, 86_400), 15, "Time for a move in a match of the ladder.", unit="seconds"
    )
    arcade_games_queue_seconds: int = setting(
        whole(1, 86_400), 120, "How long somebody waits for an opponent at the ladder.", unit="seconds"
    )
    arcade_ladder_url: str = setting(
        web_address(),
        "",
        "Another arcade, whose ladder and replays this node shows while it has no arcade of its own.",
        default_words="none",
    )

    airtime_enabled: bool = setting(
        flag(), True, "Whether what goes out by radio keeps to a limit; it is counted in any case."
    )
    airtime_region: str = setting(
        text(16, least=0),
        "",
        "Region whose law limits the radio, such as EU868.",
        default_words="none: only what the radio itself is set to keep is a limit",
    )
    airtime_limit_percent: float = setting(
        number(0, 100),
        0.0,
        "Most of each hour that the radio may send, in place of the region's law; 0 for that.",
        unit="percent",
    )
    airtime_reserve_percent: int = setting(
        whole(5, 90),
        25,
        "Part of the limit kept for proofs and answers about paths, which nobody can plan.",
        unit="percent",
    )
    airtime_texts_percent: int = setting(
        whole(1, 100), 15, "Most of the rest that texts to peers may use.", unit="percent"
    )
    airtime_announces_percent: int = setting(
        whole(1, 100), 15, "Most of the rest that announces may use.", unit="percent"
    )
    airtime_sync_percent: int = setting(
        whole(1, 100), 25, "Most of the rest that fetching mail may use.", unit="percent"
    )
    airtime_gateway_percent: int = setting(
        whole(1, 100),
        35,
        "Most of the rest that the gateway and the house may use, which play for the node.",
        unit="percent",
    )
    airtime_peer_percent: int = setting(
        whole(1, 100), 75, "Most of the rest that may go to one peer.", unit="percent"
    )
    airtime_preset: str = setting(
        text(32, least=0),
        "",
        "Preset of a radio that belongs to another program, whose Reticulum this node uses.",
        default_words="none",
    )
    airtime_bandwidth: int = setting(
        whole(0, 1_625_000), 0, "The same without a preset: its bandwidth.", unit="Hz"
    )
    airtime_spreading_factor: int = setting(whole(0, 12), 0, "Its spreading factor, 5 to 12.")
    airtime_coding_rate: int = setting(whole(5, 8), 5, "Its coding rate, 5 for 4/5 to 8 for 4/8.")
    airtime_frequency_mhz: float = setting(
        number(0, 3000), 0.0, "Its frequency; 0 if only the region counts.", unit="MHz"
    )

    tui_theme: str = setting(
        choice("dark", "light", "high-contrast"), "dark", "Colours of the terminal UI.", live=True
    )
    tui_colours: str = setting(
        choice("auto", "mono", "16", "256", "24bit"),
        "auto",
        "How many colours there are, where the terminal is taken for another.",
        live=True,
    )
    tui_glyphs: str = setting(
        choice("auto", "ascii", "unicode"), "auto", "Signs: plain ASCII, or those of Unicode.", live=True
    )
    tui_notices: str = setting(
        choice("none", "plain", "full"),
        "plain",
        "What bell and window title tell; only full says who and what.",
        live=True,
    )
    tui_bell: bool = setting(flag(), True, "Whether the bell rings when something is new.", live=True)
    tui_mouse: bool = setting(
        flag(), True, "Whether clicks are for the games, rather than for marking text.", live=True
    )

    test_clock: bool = setting(
        flag(), False, "Whether `test.clock` of the control API may move the node's clock; for tests only."
    )


def rows(table: type) -> Mapping[str, Setting]:
    """The rows of a class like ``Settings``, by key, in its order."""
    found = {}
    for column in fields(table):
        key = column.name.replace("_", ".", 1)
        found[key] = Setting(key=key, field=column.name, **column.metadata[_ROW])
    return MappingProxyType(found)


SETTINGS: Final = rows(Settings)
"""Every setting by its key."""

SECTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "node": "The node as a whole.",
        "rns": "Reticulum.",
        "announce": "How often the node makes its identities known on the mesh.",
        "accept": "Whom the node listens to.",
        "messages": "Messages that need more than one packet.",
        "propagation": "Mail for and from peers that are not there.",
        "house": "The opponent in the house.",
        "text": "Playing by plain texts, with any LXMF client.",
        "gateway": "Seats for players of the mesh at tables elsewhere ([gateway.md](gateway.md)).",
        "rcadia": "A server that speaks the RCADIA Agent Protocol.",
        "agentgames": "A server of rated matches that speaks AgentGames ([agentgames.md](agentgames.md)).",
        "hosting": "Tables of our own, for players of the mesh and of the web.",
        "arcade": "The web server for games of people and programs ([arcade.md](arcade.md)).",
        "airtime": "How much of the hour the radio may be on the air. One that is the node's own tells its "
        "frequency and parameters itself.",
        "tui": "The terminal UI; options of the command go before these.",
        "test": "For tests of the program; leave it alone on a node that plays.",
    }
)
"""What the tables of the file are about, in the order of the reference."""

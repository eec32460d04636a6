"""``lrgpnode radio check``: does this radio hear anybody, and if not, what is on the air."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.radio.status import parameters
from lrgpnode.cli.text import age, clean
from lrgpnode.control.client import ClientError, EventStream

Json = Mapping[str, Any]


@click.command()
@click.option(
    "--minutes",
    type=click.FloatRange(0.01, 120),
    default=5.0,
    show_default=True,
    metavar="N",
    help="How long to listen.",
)
@json_option
@pass_context
def check(context: Context, minutes: float, as_json: bool) -> int:
    """Listen for N minutes and say whether anybody is heard.

    It ends as soon as every radio has heard somebody. The node only listens: nothing is sent for it. The
    exit code is 1 where a radio heard nobody.
    """
    stream = context.events(None)
    try:
        started = context.call("radio.check", minutes=minutes)
        names = ", ".join(clean(radio["name"]) for radio in started["radios"])
        click.echo(f"Listening with {names} for {minutes:g} minutes; Ctrl-C ends.", err=True)
        result = _wait(context, stream, started["check"])
    finally:
        stream.close()
    if as_json:
        say_json(result)
    else:
        for line in lines(context, result):
            write(line)
    heard = result["radios"] and all(radio["verdict"] == "heard" for radio in result["radios"])
    return Exit.OK if heard else Exit.FAILED


def _wait(context: Context, stream: EventStream, number: int) -> Json:
    try:
        for event in stream:
            if event["type"] == "radio.checked" and event["data"]["check"] == number:
                result: Json = event["data"]
                return result
    except ClientError as error:
        raise context.explain(error) from None
    raise CliError(Exit.NOT_RUNNING, "disconnected", "The node ended the connection.")


def lines(context: Context, result: Json) -> Iterator[str]:
    """What was found, for people."""
    if result.get("problem"):
        yield f"Problem: {clean(result['problem'], 400)}."
    for checked in result["radios"]:
        yield from _said(context, checked, age(result["seconds"]))
    peers = result.get("peers", ())
    if peers:
        some = ", ".join(peer[:8] for peer in peers[:5])
        names = f"`{context.command('peers')}` has their names"
        yield f"Announces heard meanwhile: {len(peers)} ({some}); {names}."


def _said(context: Context, checked: Json, time: str) -> Iterator[str]:
    radio = checked["radio"]
    name = clean(radio["name"])
    match checked["verdict"]:
        case "heard":
            yield f"{name}: somebody is there.{_last(radio)}"
        case "unreadable":
            at = f", up to {checked['loudest']} dBm" if checked.get("loudest") is not None else ""
            seen = f"{checked['loud']} of {checked['reports']} reports{at}"
            yield (
                f"{name}: somebody sends ({seen}), but nothing could be read in {time}: "
                "the parameters probably differ."
            )
            yield from _compare(context, radio)
        case "down":
            yield f"{name}: the radio is {radio['state']}, so nothing can be heard."
            trouble = radio.get("trouble")
            if trouble:
                yield f"{clean(trouble['cause'], 400)} {clean(trouble['fix'], 400)}"
        case _:
            yield f"{name}: nothing was heard in {time}: nobody sends in reach on this frequency."
            if not checked["reports"]:
                yield "This board reports no statistics, so transmissions with other parameters do not show."
            yield from _compare(context, radio)
            yield "If they are the same, look at the antenna, and ask somebody near to announce."


def _last(radio: Json) -> str:
    heard = radio.get("heard") or {}
    rssi, snr = heard.get("rssi"), heard.get("snr")
    if rssi is None or snr is None:
        return ""
    return f" The last packet came with {rssi} dBm and an SNR of {snr:g} dB."


def _compare(context: Context, radio: Json) -> Iterator[str]:
    line = parameters(radio)
    if line:
        yield f"  {line}"
    yield f"Compare this with the other side: both run `{context.command('radio', 'show')}`."

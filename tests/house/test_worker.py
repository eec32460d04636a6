"""The thinking process itself: answers, limits, and that none is left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from lrgpnode.house import think
from lrgpnode.house.niceness import NICENESS
from lrgpnode.house.question import BadQuestion, Question, pack_question
from lrgpnode.house.worker import ThinkError, ThinkingProcess

ENDLESS = (
    sys.executable,
    "-c",
    "import sys, lrgpnode.house.think as think\n"
    "from lrgpnode.house.levels import Level\n"
    "think.level = lambda app, number: Level(name='', depth=60, nodes=10**9)\n"
    "sys.exit(think.main())",
)
"""The thinking process, at a level that takes hours."""

LONG = Question(app="chess", state=("e2e4", "e7e5", "g1f3", "b8c6"), level=5, seed=1)
QUICK = Question(app="ttt", state="X________", level=3, seed=1)
DEADLINE = 20.0
ROOT = Path(__file__).parents[2]


def ask(question: Question, thinker: ThinkingProcess | None = None):  # type: ignore[no-untyped-def]
    return asyncio.run((thinker or ThinkingProcess()).think(question))


@pytest.mark.parametrize(
    "question",
    [
        QUICK,
        Question(app="four_in_a_row", state="_" * 42, level=2, seed=3),
        Question(app="chess", state=("e2e4", "e7e5"), level=2, seed=3),
        Question(app="chess", state=(), level=1, seed=3),
    ],
)
def test_the_process_answers_as_the_engine_does(question: Question) -> None:
    assert ask(question) == think.answer(question)


def test_the_claim_that_holds_comes_with_the_answer() -> None:
    shuffle = ("g1f3", "g8f6", "f3g1", "f6g8") * 2
    assert think.answer(Question(app="chess", state=shuffle, level=1, seed=1)).claim == "3fr"
    assert think.answer(Question(app="chess", state=shuffle[:-1], level=1, seed=1)).claim == ""


@pytest.mark.parametrize(
    "question",
    [
        Question(app="chess", state=("e2e5",), level=1, seed=1),
        Question(app="chess", state=("f2f3", "e7e5", "g2g4", "d8h4"), level=1, seed=1),
        Question(app="ttt", state="XOXOXOXOX", level=1, seed=1),
        Question(app="poker", state="", level=1, seed=1),
    ],
)
def test_what_cannot_be_answered_is_an_error(question: Question) -> None:
    with pytest.raises(ThinkError, match="thinking failed"):
        ask(question)


def test_no_program_no_answer() -> None:
    with pytest.raises(ThinkError, match="no process to think in"):
        ask(QUICK, ThinkingProcess(command=("/nonexistent",)))


@pytest.mark.parametrize(
    ("program", "words"), [("pass", "cut off"), ("print('{}')", "no move"), ("print('x')", "not JSON")]
)
def test_a_process_that_goes_wrong_is_an_error(program: str, words: str) -> None:
    with pytest.raises(ThinkError, match=words):
        ask(QUICK, ThinkingProcess(command=(sys.executable, "-c", program)))


def test_a_thought_that_takes_too_long_is_an_error() -> None:
    with pytest.raises(ThinkError, match=r"no answer within 0\.5 s"):
        ask(LONG, ThinkingProcess(command=ENDLESS, seconds=0.5))
    assert children(os.getpid()) == []


def test_it_ends_when_nobody_waits_any_more() -> None:
    process = subprocess.Popen(ENDLESS, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out, _ = process.communicate(pack_question(LONG), timeout=DEADLINE)  # closes the input at once
    assert (process.returncode, out) == (think.EXIT_ABANDONED, b"")


def test_a_cancelled_thought_leaves_no_process() -> None:
    async def main() -> None:
        task = asyncio.create_task(ThinkingProcess(ENDLESS).think(LONG))
        child = await asyncio.to_thread(_child, os.getpid())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not _command(child)

    asyncio.run(main())


def _child(parent: int) -> int:
    """The process that ``parent`` thinks in."""
    end = time.monotonic() + DEADLINE
    while not (found := children(parent)):
        assert time.monotonic() < end, "there is no thinking process"
        time.sleep(0.005)
    return found[0]


def children(parent: int) -> list[int]:
    """The thinking processes of a process, each of its threads asked."""
    found: list[int] = []
    for task in Path(f"/proc/{parent}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended meanwhile
            found += map(int, (task / "children").read_text().split())
    return [child for child in found if b"lrgpnode.house.think" in _command(child)]


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


NODE = """
import asyncio
from tests.house.test_worker import ENDLESS, LONG, ThinkingProcess
asyncio.run(ThinkingProcess(ENDLESS).think(LONG))
"""


def test_when_the_node_is_killed_its_thought_ends() -> None:
    node = subprocess.Popen([sys.executable, "-c", NODE], cwd=ROOT)
    child = _child(node.pid)
    os.kill(node.pid, signal.SIGKILL)
    node.wait(DEADLINE)
    end = time.monotonic() + DEADLINE
    while b"lrgpnode.house.think" in _command(child):
        assert time.monotonic() < end, "it goes on thinking"
        time.sleep(0.005)


def test_it_is_nice_bounded_and_light() -> None:
    program = (
        "import sys, os, resource\n"
        "from lrgpnode.house import think\n"
        "think._limit()\n"
        "heavy = {'RNS', 'LXMF', 'asyncio', 'sqlite3', 'chess'} & set(sys.modules)\n"
        "print(os.nice(0), resource.getrlimit(resource.RLIMIT_AS)[0], heavy or '')\n"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    nice, memory, *heavy = shown.stdout.split()
    assert int(nice) >= NICENESS
    assert int(memory) == think.MEMORY_BYTES
    assert not heavy


def test_it_stands_behind_the_node_before_it_has_loaded_anything() -> None:
    """Loading Python and the rules takes longer than many a thought, and must not hold up the node."""
    program = (
        "import os, sys; sys.stdin.readline(); "
        'print(\'{"move":1,"score":%d,"nodes":1,"claim":""}\' % os.getpriority(os.PRIO_PROCESS, 0))'
    )
    shown = ask(QUICK, ThinkingProcess((sys.executable, "-c", program)))
    assert shown.score == min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}\n",
        b"[]\n",
        b'{"app":"ttt","state":"_________","level":1,"seed":1}',
        b'{"app":"ttt","state":[1],"level":1,"seed":1}\n',
        b'{"app":"ttt","state":"_________","level":"1","seed":1}\n',
        b'{"app":"ttt","state":"' + b"_" * 70_000 + b'","level":1,"seed":1}\n',
        b'{"app":"ttt","state":"_________","level":1,"seed":true}\n',
    ],
)
def test_a_malformed_question_is_refused(line: bytes) -> None:
    from lrgpnode.house.question import parse_question

    with pytest.raises(BadQuestion):
        parse_question(line)

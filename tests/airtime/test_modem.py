"""Against airtimes that were measured with RNode firmware's arithmetic (milliseconds)."""

import pytest

from lrgpnode.airtime.modem import Modem, frames

SF7, SF8, SF9, SF10, SF12 = (Modem(125_000, factor, 5) for factor in (7, 8, 9, 10, 12))
LONG_FAST, QUICK = Modem(250_000, 11, 5), Modem(500_000, 7, 5)

# packet bytes -> SF7, SF8, SF9, SF10, SF12, all at 125 kHz; SF11 at 250 kHz; SF7 at 500 kHz
MEASURED = {
    206: (344, 605, 1086, 1968, 7873, 1804, 104),
    222: (370, 646, 1148, 2091, 8364, 1927, 110),
    323: (561, 974, 1743, 3240, 12632, 2953, 176),
    83: (165, 287, 513, 944, 3777, 903, 59),
    51: (119, 205, 370, 698, 2793, 657, 48),
    99: (191, 328, 595, 1108, 4268, 1026, 66),
    8: (58, 93, 185, 330, 1319, 330, 32),
}


@pytest.mark.parametrize("size", MEASURED)
def test_airtime_is_what_was_measured(size: int) -> None:
    modems = (SF7, SF8, SF9, SF10, SF12, LONG_FAST, QUICK)
    found = tuple(modem.packet_seconds(size) * 1000 for modem in modems)
    assert found == pytest.approx(MEASURED[size], abs=0.6)


def test_a_long_packet_is_two_frames() -> None:
    assert frames(254) == (255,)
    assert frames(255) == (255, 2)
    assert frames(323) == (255, 70)
    assert frames(507) == (255, 254)
    assert frames(508) == (255, 255, 1)
    assert frames(509) == frames(0) == ()


def test_low_data_rate_is_as_in_the_firmware() -> None:
    assert not Modem(125_000, 11, 5).low_data_rate
    assert Modem(125_000, 12, 5).low_data_rate


def test_an_older_chip_has_a_shorter_preamble() -> None:
    old = Modem(125_000, 8, 5, sx127x=True)
    assert SF8.frame_seconds(10) - old.frame_seconds(10) == pytest.approx(4 * SF8.symbol_seconds)


@pytest.mark.parametrize("wrong", [(0, 8, 5), (125_000, 4, 5), (125_000, 13, 5), (125_000, 8, 4)])
def test_impossible_settings_are_refused(wrong: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="not possible"):
        Modem(*wrong)

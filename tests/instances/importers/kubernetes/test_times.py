from datetime import UTC, datetime, timedelta

import pytest

from topreempt.instances.importers.kubernetes.times import parse_time, seconds_between, seconds_of

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "spelled",
    [
        "2026-03-01T12:00:00Z",
        "2026-03-01T12:00:00.000000Z",
        "2026-03-01T12:00:00.000000000Z",
        "2026-03-01T13:00:00+01:00",
        "2026-03-01t12:00:00z",
        datetime(2026, 3, 1, 12),
        NOON,
    ],
)
def test_one_moment(spelled: object) -> None:
    assert parse_time(spelled) == NOON


@pytest.mark.parametrize(
    "spelled", ["", "2026-03-01", "2026-13-01T00:00:00Z", "2026-03-01T12:00:00", "yesterday", 5, None, NOON.date()]
)
def test_no_moment(spelled: object) -> None:
    with pytest.raises(ValueError, match="a timestamp such as"):
        parse_time(spelled)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("1.5", 1.5), ("90s", 90), ("1h30m", 5400), ("2d", 172800), ("250ms", 0.25), (" 5m ", 300)],
)
def test_durations(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "-1", "1x", "h", "1h 30m", "nan", "1e5", "9" * 30])
def test_no_duration(text: str) -> None:
    assert seconds_of(text) is None


def test_no_time_runs_backwards() -> None:
    assert seconds_between(NOON, NOON + timedelta(seconds=1.5)) == 1.5
    assert seconds_between(NOON + timedelta(seconds=5), NOON) == 0

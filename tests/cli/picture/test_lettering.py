"""Text in a drawing: nothing invisible, no line wider than its room, both ends of a long name kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topreempt.cli.picture.lettering import ELLIPSIS, cells, clean, wrapped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\nb\x00", r"a\u000ab\u0000"),
        ("user\u202egnp.exe", r"user\u202egnp.exe"),
        ("\ud800", r"\ud800"),
        (" ", r"\u0020"),
        ("", ""),
        ("日本 é 😀", "日本 é 😀"),
    ],
)
def test_clean_shows_what_would_hide(text: str, shown: str) -> None:
    assert clean(text) == shown


@pytest.mark.parametrize(
    ("text", "columns", "most", "lines"),
    [
        ("short", 10, 2, ("short",)),
        ("training-worker-12", 10, 3, ("training-", "worker-12")),
        ("abcdefghijkl", 5, 3, ("abcde", "fghij", "kl")),
        ("a-very-long-name-of-a-pod-0", 8, 2, ("a-very-", "…a-pod-0")),
        ("abcdefghijkl", 7, 1, ("abc…jkl",)),
        ("日本語の名前", 4, 9, ("日本", "語の", "名前")),
        ("   ", 10, 2, ()),
    ],
)
def test_wrapped(text: str, columns: int, most: int, lines: tuple[str, ...]) -> None:
    assert wrapped(text, columns, most) == lines


@given(st.text(), st.integers(4, 40), st.integers(1, 5))
def test_lines_fit_and_lose_nothing_but_the_middle(text: str, columns: int, most: int) -> None:
    lines = wrapped(clean(text), columns, most)
    assert len(lines) <= most
    assert all(cells(line) <= columns and line for line in lines)
    said, whole = "".join(lines).replace(" ", ""), clean(text).replace(" ", "")
    if ELLIPSIS not in said:
        assert "".join(said.split()) == "".join(whole.split())

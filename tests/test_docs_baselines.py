"""docs/baselines.md lists every baseline and scenario as the code has them."""

from pathlib import Path

from topreempt.instances.generators import SCENARIOS
from topreempt.solver.greedy.registry import policies

TEXT = (Path(__file__).parent.parent / "docs" / "baselines.md").read_text(encoding="utf-8")


def test_every_baseline_has_its_row() -> None:
    rows = [f"| `{each.name}` | {each.source} | {each.blind_to} |" for each in policies().values()]
    assert [line for line in TEXT.splitlines() if line.startswith("| `")] == rows


def test_every_scenario_is_named() -> None:
    assert all(f"`{name}`" in TEXT for name in SCENARIOS)

from decimal import Decimal

import pytest
from pydantic import TypeAdapter, ValidationError

from topreempt.instances.importers.kubernetes.quantities import Quantity, our_amount, our_name, rounded

READER = TypeAdapter(Quantity)


@pytest.mark.parametrize(
    ("spelled", "amount"),
    [
        ("0", "0"),
        ("2", "2"),
        (2, "2"),
        (0.5, "0.5"),
        ("0.5", "0.5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("+3", "3"),
        ("500m", "0.5"),
        ("1u", "0.000001"),
        ("7n", "0.000000007"),
        ("1k", "1000"),
        ("1M", "1000000"),
        ("1.5G", "1500000000"),
        ("2T", "2000000000000"),
        ("1P", "1000000000000000"),
        ("1E", "1000000000000000000"),
        ("1Ki", "1024"),
        ("200Mi", "209715200"),
        ("1.5Gi", "1610612736"),
        ("1Ti", "1099511627776"),
        ("1Pi", "1125899906842624"),
        ("7Ei", "8070450532247928832"),
        ("1e3", "1000"),
        ("1E3", "1000"),
        ("12e-1", "1.2"),
        ("1e+2", "100"),
        ("128974848", "128974848"),
        ("9223372036854775807", "9223372036854775807"),
    ],
)
def test_every_spelling_is_exact(spelled: str | float, amount: str) -> None:
    assert READER.validate_python(spelled) == Decimal(amount)


@pytest.mark.parametrize(
    "spelled",
    [
        "",
        " 1",
        "1 ",
        "-1",
        "-0.5",
        "1K",
        "1ki",
        "1mi",
        "1e",
        "1e3Mi",
        "Gi",
        "1,5",
        "0x10",
        "1_000",
        "inf",
        "nan",
        "NaN",
        "9223372036854775808",
        "8Ei",
        "1e19",
        "1e9999",
        "9" * 101,
        "１",
        True,
        None,
        [],
        {},
        float("nan"),
        float("inf"),
    ],
)
def test_what_the_api_refuses_is_refused(spelled: object) -> None:
    with pytest.raises(ValidationError, match="a quantity of Kubernetes"):
        READER.validate_python(spelled)


def test_the_scheduler_rounds_up() -> None:
    assert rounded("cpu", Decimal("0.0001")) == Decimal("0.001")
    assert rounded("memory", Decimal("0.5")) == 1
    assert rounded("rdma/hca", Decimal("1.2")) == 2
    assert rounded("cpu", Decimal("1e-9999")) == Decimal("0.001")


@pytest.mark.parametrize(
    ("resource", "amount", "name", "ours"),
    [
        ("cpu", "1.5", "cpus", 1.5),
        ("cpu", "0.0001", "cpus", 0.001),
        ("memory", str(2**30), "memory_gib", 1),
        ("memory", str(200 * 2**20), "memory_gib", 0.195312),
        ("ephemeral-storage", str(15 * 2**40), "ephemeral-storage_gib", 15360),
        ("hugepages-1Gi", str(4 * 2**30), "hugepages-1Gi_gib", 4),
        ("rdma/hca", "8", "rdma/hca", 8),
        ("pods", "110", "pods", 110),
    ],
)
def test_our_units(resource: str, amount: str, name: str, ours: float) -> None:
    assert our_name(resource) == name
    assert our_amount(resource, Decimal(amount)) == ours


def test_equal_amounts_stay_equal() -> None:
    for mebi in (1, 3, 100, 200, 333, 1000):
        assert our_amount("memory", Decimal(mebi * 2**20)) == our_amount("memory", Decimal(mebi * 2**20))
        assert our_amount("memory", Decimal(mebi * 2**20)) < our_amount("memory", Decimal((mebi + 1) * 2**20))

"""Many policies on the same instances: what each decided, what it cost, and one row a policy."""

from .journal import Journal
from .outcome import Outcome
from .rows import Row, rows_of
from .run import Case, Work, run_all

__all__ = ["Case", "Journal", "Outcome", "Row", "Work", "rows_of", "run_all"]

"""Makes the helpers of the tests (builders, strategies, oracle) importable by name from every test."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

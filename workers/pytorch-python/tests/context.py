"""Lets `python -m unittest discover -s tests` find worker and SDK; imported before them."""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent.parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "sdk" / "python")]

from worker_tests.subject import Subject  # noqa: E402 - found by the line above

SUBJECT = Subject(FOLDER)

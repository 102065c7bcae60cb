"""Lets `python -m unittest discover -s tests` find worker and SDK; imported before them."""

import os
import sys
from pathlib import Path

FOLDER = Path(__file__).parent.parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "sdk" / "python")]

from worker_tests.subject import Subject  # noqa: E402 - found by the line above

ENVIRONMENT = {"KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "2"}
os.environ |= ENVIRONMENT  # for the worker's own modules, where a test imports them
SUBJECT = Subject(FOLDER, ENVIRONMENT)

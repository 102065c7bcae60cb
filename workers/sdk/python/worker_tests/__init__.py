"""Tests that the Python workers of frameworks share; a worker's own derive from them and name a Subject."""

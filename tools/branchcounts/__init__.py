"""
Branch coverage of the tests.

slipcover counts: a run of all tests takes a tenth longer with it, and twice as long with coverage.py. Python imports `sitecustomize` in each
process that starts with this folder in `PYTHONPATH`. Each process saves its counts in one folder; `tests/untested.py` reports
branches that no process took.
"""

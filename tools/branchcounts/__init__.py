"""
Branch coverage of the tests.

slipcover counts: its preparation of all modules takes twenty seconds of each process with tests, and the tests take a fifth longer then. Python imports `sitecustomize` in each
process that starts with this folder in `PYTHONPATH`. Each process saves its counts in one folder; `tests/untested.py` reports
branches that no process took.
"""

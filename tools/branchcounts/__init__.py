"""
Branch coverage of the tests.

slipcover counts. It needs about fifteen seconds to prepare all modules in a process, and the tests take a fifth longer; with coverage.py they take
twice as long. Python imports `sitecustomize` in each process that starts with this folder in `PYTHONPATH`. Each process saves its counts in
one folder; `tests/untested.py` reports branches that no process took.
"""

"""
Cases: what users declare, read, run and compared; nothing here knows of pytest.

A file's text comes in, a result for each case goes out. `loader` reads a file (`format`, `casekeys` say what it may hold, `diagnosis` what
is wrong) into the classes of `model`; `catalog` finds the CRD, `runner` asks the engine through `questions`, and `expectations`, `refusals`
and `strays` hold the answer against the case, as `result` says.
"""

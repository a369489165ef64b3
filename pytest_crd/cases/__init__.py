"""
Declared cases: loading, running and comparing, without pytest.

The text of a file comes in, a result for each case goes out. `loader` reads a file into the classes of `model`;
`caseformat` and `casekeys` define
the format, and `diagnosis` words the mistakes in it. `crdcatalog` finds the CRD, `caserunner` asks the engine through
`questions`, and
`expectations`, `refusals` and `strays` compare the answer with the case. `caseresult` has the result.
"""

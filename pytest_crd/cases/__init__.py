"""
Declared cases: loading, running and comparing, without pytest.

The text of a file comes in, a result for each case goes out. `loader` reads a file into the classes of `model`;
`caseruns` pairs each case with the function that runs it. `caseformat` and `casekeys` define
the format, and `diagnosis` words the mistakes in it. `crdcatalog` finds the CRD, `caserunner` asks the engine through
`questions`, and
`expectations`, `refusals` and `strays` compare the answer with the case. `caseresult` has the result, and
`deviations` the mismatches of a failed case.

The module of a mistake depends on the knowledge that it needs:

| a mistake needs | module | raised |
|---|---|---|
| the text of the file | `mistakes` | when the file is loaded |
| other files, or the patched object | `objectsources` | when the cases are collected |
| the schema and rules of the CRD | `unreachable` | when the cases are collected |
| field owners that no apply can have | `expectedowners` | when the cases are collected |
| the server's answer | `caserunner` | when the case runs |
| fields that the server dropped | `strays` | when the case runs; as a mismatch, or as a mistake of an xfail |

The mistakes of all cases of a file are one `CaseFileError`, sorted by line.
"""

"""
Comparison of the engine with a real API server: both get the same requests.

`run` takes the questions of a test and returns a verdict. `stages` has their CRDs served in a `sandbox`; `judge` and `crdquestions` send
requests through `client` and compare the answers as `answerfacts`. `obstacles` recognizes replies that are no answer to the request.
"""

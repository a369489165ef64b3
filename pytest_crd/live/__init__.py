"""
A real API server beside the engine: the same requests, and where the two answer otherwise.

Questions come in, verdicts go out. `run` takes a test's questions, `stages` has their CRDs served in a `sandbox`, `judge` and `definitions`
ask through `client` and hold the answers against each other as `facts`. A server that only refused to answer is told by `obstacles`.
"""

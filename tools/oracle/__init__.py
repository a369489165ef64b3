"""
What real API servers answer: asked, recorded, and held against the engine. `python -m oracle` lists the commands.

`servers` builds and starts them; `recorders` writes down what they answer, which the tests replay; `generators` makes inputs out of a
seed, `judges` says what a server and the engine make of one; `fuzzers` asks both of made inputs, `comparisons` of real ones; `checks`
looks for what no recording pins. The programs in Go are in `etcd`, `reference` and `yaml`.
"""

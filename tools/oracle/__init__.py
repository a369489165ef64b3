"""
Answers of real API servers: requested, recorded, and compared with the engine. `python -m oracle` lists the commands.

`servers` builds and starts API servers; `recorders` saves their answers, which the tests replay. `generators` makes
random inputs from a seed, and `judges` gets the answers of a server and of the engine to one. `fuzzers` compares both
on generated inputs, `comparisons` on real ones. `checks` looks for behaviour that no recording covers. The Go programs
are in `etcd`, `reference` and `yaml`.
"""

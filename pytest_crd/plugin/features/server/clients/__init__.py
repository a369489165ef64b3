"""
Isolation of Python clients: while `crd_server` is open, they reach its server and no other.

Imports go from `isolation` over `clientpatches` to `clienttable`, and from both to `guard` and `places`.
"""

"""
Addresses, address families and ports of nodes that a server gives to Services before it validates them.

`beginning` has the order; it imports `families`, `allocating`, `completing` and `shownforms`.

Reference:
    kubernetes pkg/registry/core/service/storage; strategy.go.
"""

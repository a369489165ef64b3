"""
Controllers of a server: each follows the changes of the resources that it reads, and writes the changes that follow from them.

`controllermanager` has the words: a controller's informer chooses keys from a change of the store, its work queue holds each key once,
and `reconcile` makes one key as it has to be. All queues are empty before the server answers a write. Every other module is one
controller. None of them knows the API or its catalog; the garbage collector is a client of the API, as in a cluster.
"""

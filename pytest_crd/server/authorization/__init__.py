"""
Authorization by roles, as kube-apiserver does it with RBAC: from a user and a request to a decision in the server's words.

`policy` has roles and bindings as data, `rules` matches a rule with a request, and `resolution` finds the rules of a user. `authorizer`
decides. `accessattributes` describes HTTP requests, `impersonation` replaces their user, and `refusals` has the words. `escalation` checks
writes of roles, and `reviews` answers access reviews. `storedroles` holds the roles, also those of a new cluster, and fills aggregated ones.
"""

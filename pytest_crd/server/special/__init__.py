"""
Requests that create no object of their own: evictions, bindings, tokens and their reviews, and requests for a kubelet.

Input is a request with its resource, output the response. `specialrequests` finds the function of a request; `pods`,
`tokenrequests` and `kubelets` have the functions; `sentobjects` decodes bodies, and `tokens` has the issued tokens.
"""

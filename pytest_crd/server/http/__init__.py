"""HTTP requests and responses: paths, headers, negotiation, tokens, Status objects, certificates and the kubeconfig."""

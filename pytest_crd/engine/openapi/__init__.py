"""
OpenAPI documents that the server publishes for a CRD (KEP-2335), in v2 and v3.

Reference:
    apiextensions-apiserver controller/openapi/builder; kube-openapi builder and builder3.
"""

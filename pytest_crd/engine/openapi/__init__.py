"""
What the server publishes of a CRD (KEP-2335): the OpenAPI documents of a version, in the form of v2 and of v3.

Reference:
    apiextensions-apiserver controller/openapi/builder; kube-openapi builder and builder3.
"""

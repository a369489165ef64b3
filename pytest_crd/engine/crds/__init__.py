"""CustomResourceDefinitions themselves: decoding, defaults, validation, requests and conditions."""

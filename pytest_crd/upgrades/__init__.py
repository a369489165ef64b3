"""Effects of a CRD change on objects, observed by running objects under the old and the new CRD."""

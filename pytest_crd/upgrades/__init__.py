"""What becomes of objects when a CRD is replaced by another: found out by running them under both."""

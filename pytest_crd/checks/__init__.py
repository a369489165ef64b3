"""What is asked of CRDs and samples without a case: whether a server takes them, and what it makes of them."""

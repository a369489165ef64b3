"""`--crd-live`: a real API server is asked, too, what cases and checks ask."""

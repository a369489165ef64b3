"""`--crd-live`: sends the requests of cases and checks to a real API server, too."""

"""`crd_webhooks`: checks its lines at the start, shows the output of its commands in failures, and ends them with the session."""

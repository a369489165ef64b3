"""What kube-apiserver does with CustomResourceDefinitions and custom resources: no pytest, no network."""

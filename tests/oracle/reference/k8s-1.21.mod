module crd-oracle/reference

go 1.16

require (
	github.com/json-iterator/go v1.1.12 // indirect
	k8s.io/apiextensions-apiserver v0.21.14
	k8s.io/client-go v0.21.14
)

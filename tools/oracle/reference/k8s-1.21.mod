module crd-oracle/reference

go 1.16

require (
	github.com/go-openapi/spec v0.19.5
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/spf13/pflag v1.0.5
	k8s.io/apiextensions-apiserver v0.21.14
	k8s.io/apiserver v0.21.14
	k8s.io/client-go v0.21.14
	k8s.io/kube-openapi v0.0.0-20211110012726-3cc51fd1e909
)

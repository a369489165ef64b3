// Package integration has nothing of its own: it says what the tests of apiextensions-apiserver and Kubernetes need to be built.
package integration

import (
	_ "go.etcd.io/etcd/client/v3"
	_ "google.golang.org/grpc"
	_ "k8s.io/apiextensions-apiserver/test/integration"
	_ "k8s.io/apiextensions-apiserver/test/integration/conversion"
	_ "k8s.io/apiextensions-apiserver/test/integration/fixtures"
	_ "k8s.io/kubernetes/test/integration/apiserver/cel"
	_ "k8s.io/kubernetes/test/integration/apiserver/cel/authorizerselector"
)

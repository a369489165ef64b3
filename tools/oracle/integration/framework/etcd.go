// Package framework stands in for files of Kubernetes' tests, which start etcd, and a kube-apiserver with changed options.
package framework

import "os"

// EtcdMain runs the tests without etcd.
func EtcdMain(tests func() int) {
	os.Exit(tests())
}

// GetEtcdURL returns no URL.
func GetEtcdURL() string {
	return ""
}

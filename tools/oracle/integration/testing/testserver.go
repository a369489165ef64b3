// Package testing stands in for a file of Kubernetes' tests, which starts a kube-apiserver in the process of the test. It
// starts a server of pytest-crd instead, a fresh one for each call.
package testing

import (
	"errors"
	"slices"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"example.com/integration/server"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/test/utils/ktesting"
)

// Flags without an effect here: the server has the plugins and resource.k8s.io/v1, and authorizes by RBAC.
var known = []string{
	"--anonymous-auth",
	"--authorization-mode=RBAC",
	"--disable-admission-plugins=ServiceAccount",
	"--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection",
	"--enable-admission-plugins",
	"--enable-admission-plugins=ValidatingAdmissionPolicy,MutatingAdmissionPolicy",
	"--runtime-config=api/all=true",
	"--runtime-config=resource.k8s.io/v1=true",
}

// Prefixes of the objects in etcd, of the servers that were started.
var prefixes = map[string]bool{}

// TearDownFunc ends a server.
type TearDownFunc func()

// TestServerInstanceOptions is empty: the tests set no option.
type TestServerInstanceOptions struct{}

// TestServer is a running server.
type TestServer struct {
	ClientConfig *rest.Config
	TearDownFn   TearDownFunc
}

// GetEtcdClients returns no clients.
func GetEtcdClients(storagebackend.TransportConfig) (*clientv3.Client, clientv3.KV, error) {
	return nil, nil, errors.New("pytest-crd has no etcd")
}

// StartTestServer starts a server. It fails the test if a server of pytest-crd cannot be configured in the same way.
func StartTestServer(t ktesting.TB, _ *TestServerInstanceOptions, flags []string, storage *storagebackend.Config) (TestServer, error) {
	t.Helper()
	for _, flag := range flags {
		if strings.HasPrefix(flag, "-") && !slices.Contains(known, flag) {
			t.Fatalf("pytest-crd has no flag %s", flag)
		}
	}
	gates := utilfeature.DefaultMutableFeatureGate
	if version := gates.EmulationVersion(); !version.EqualTo(compatibility.DefaultKubeEffectiveVersionForTest().EmulationVersion()) {
		t.Fatalf("pytest-crd has no Kubernetes version %s", version)
	}
	for gate, spec := range gates.GetAll() {
		if gates.Enabled(gate) != spec.Default {
			t.Fatalf("pytest-crd has no feature gate %s", gate)
		}
	}
	if prefixes[storage.Prefix] {
		t.Fatal("pytest-crd has no etcd")
	}
	prefixes[storage.Prefix] = true
	config, end, err := server.Start()
	return TestServer{ClientConfig: config, TearDownFn: end}, err
}

// StartTestServerOrDie starts a server, or fails the test.
func StartTestServerOrDie(t testing.TB, options *TestServerInstanceOptions, flags []string, storage *storagebackend.Config) *TestServer {
	started, err := StartTestServer(t, options, flags, storage)
	if err != nil {
		t.Fatal(err)
	}
	return &started
}

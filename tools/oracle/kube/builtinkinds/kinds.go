// Package builtinkinds lists the Go types of the built-in kinds in the stable API versions.
package builtinkinds

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// groupVersions are the group versions that kube-apiserver serves by default.
var groupVersions = []schema.GroupVersion{
	{Version: "v1"},
	{Group: "admissionregistration.k8s.io", Version: "v1"},
	{Group: "apiregistration.k8s.io", Version: "v1"},
	{Group: "apps", Version: "v1"},
	{Group: "authentication.k8s.io", Version: "v1"},
	{Group: "authorization.k8s.io", Version: "v1"},
	{Group: "autoscaling", Version: "v1"},
	{Group: "autoscaling", Version: "v2"},
	{Group: "batch", Version: "v1"},
	{Group: "certificates.k8s.io", Version: "v1"},
	{Group: "coordination.k8s.io", Version: "v1"},
	{Group: "discovery.k8s.io", Version: "v1"},
	{Group: "events.k8s.io", Version: "v1"},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1"},
	{Group: "networking.k8s.io", Version: "v1"},
	{Group: "node.k8s.io", Version: "v1"},
	{Group: "policy", Version: "v1"},
	{Group: "rbac.authorization.k8s.io", Version: "v1"},
	{Group: "resource.k8s.io", Version: "v1"},
	{Group: "scheduling.k8s.io", Version: "v1"},
	{Group: "storage.k8s.io", Version: "v1"},
	{Group: "storagemigration.k8s.io", Version: "v1"},
}

// unlisted are the kinds without lists whose objects are requests to the server.
var unlisted = map[string]bool{
	"v1 Binding": true,
	"authentication.k8s.io/v1 SelfSubjectReview":       true,
	"authentication.k8s.io/v1 TokenRequest":            true,
	"authentication.k8s.io/v1 TokenReview":             true,
	"authorization.k8s.io/v1 LocalSubjectAccessReview": true,
	"authorization.k8s.io/v1 SelfSubjectAccessReview":  true,
	"authorization.k8s.io/v1 SelfSubjectRulesReview":   true,
	"authorization.k8s.io/v1 SubjectAccessReview":      true,
	"policy/v1 Eviction":                               true,
}

// Types returns the types of the kinds, by apiVersion and kind.
func Types() map[string]reflect.Type {
	types := all()
	found := map[string]reflect.Type{}
	for name, t := range types {
		if _, isListed := types[name+"List"]; isListed || unlisted[name] {
			found[name] = t
		}
	}
	return found
}

// Lists returns the types of the lists of the kinds, by apiVersion and kind.
func Lists() map[string]reflect.Type {
	types := all()
	found := map[string]reflect.Type{}
	for name := range Types() {
		if t, isListed := types[name+"List"]; isListed {
			found[name+"List"] = t
		}
	}
	return found
}

// all returns the registered types of the group versions.
func all() map[string]reflect.Type {
	known := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(known))
	utilruntime.Must(apiregistrationv1.AddToScheme(known))
	found := map[string]reflect.Type{}
	for _, version := range groupVersions {
		for kind, t := range known.KnownTypes(version) {
			if !strings.HasPrefix(t.PkgPath(), "k8s.io/apimachinery/") {
				found[version.String()+" "+kind] = t
			}
		}
	}
	return found
}

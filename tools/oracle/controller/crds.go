package main

import (
	"context"
	"net/http"
	"strings"
	"sync"

	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	ctrl "sigs.k8s.io/controller-runtime"
)

const (
	panName    = "pans.pans.example.com"
	openAPIV3  = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
	definition = "com.example.pans.v1.Pan"
)

// forms knows in which forms a client has sent and got what is about CRDs.
type forms struct {
	below http.RoundTripper
	lock  sync.Mutex
	found map[string]bool
}

func (f *forms) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := f.below.RoundTrip(request)
	if err == nil && strings.Contains(request.URL.Path, "/customresourcedefinitions") {
		f.lock.Lock()
		defer f.lock.Unlock()
		for _, header := range []http.Header{request.Header, response.Header} {
			if form := header.Get("Content-Type"); form != "" && request.Method != http.MethodPatch {
				f.found[strings.Split(form, ";")[0]] = true
			}
		}
	}
	return response, err
}

// define does to a CRD what a program does that installs its own: by the client that Go has for CRDs, as it is.
func define(ctx context.Context) {
	config := ctrl.GetConfigOrDie()
	seen := &forms{found: map[string]bool{}}
	config.Wrap(func(below http.RoundTripper) http.RoundTripper {
		seen.below = below
		return seen
	})
	client, err := clientset.NewForConfig(config)
	must(err)
	crds := client.ApiextensionsV1().CustomResourceDefinitions()
	this := metav1.ListOptions{FieldSelector: "metadata.name=" + panName}
	events, err := crds.Watch(ctx, this)
	must(err)
	made, err := crds.Create(ctx, pan(), metav1.CreateOptions{})
	must(err)
	size := made.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["size"]
	say("a CRD is stored as it is sent", *size.Maximum == 9.5 && string(size.Default.Raw) == "3" && string(size.Enum[1].Raw) == "3")
	_, err = crds.Create(ctx, pan(), metav1.CreateOptions{})
	say("a CRD is there once", apierrors.IsAlreadyExists(err))
	wrong := pan()
	wrong.Spec.Scope = "Nowhere"
	_, err = crds.Create(ctx, wrong, metav1.CreateOptions{DryRun: []string{"All"}})
	say("a CRD is refused", apierrors.IsInvalid(err) && strings.Contains(err.Error(), `spec.scope: Unsupported value: "Nowhere"`))
	wait("a CRD is established", func() bool {
		made, err = crds.Get(ctx, panName, metav1.GetOptions{})
		must(err)
		return len(made.Status.Conditions) == 2 && made.Status.Conditions[1].Status == apiextensionsv1.ConditionTrue
	})
	made.Labels = map[string]string{"a": "b"}
	made, err = crds.Update(ctx, made, metav1.UpdateOptions{})
	must(err)
	made, err = crds.Patch(ctx, panName, types.MergePatchType, []byte(`{"metadata": {"annotations": {"c": "d"}}}`), metav1.PatchOptions{})
	must(err)
	made.Status.StoredVersions = append(made.Status.StoredVersions, "v0")
	_, err = crds.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	must(err)
	listed, err := crds.List(ctx, this)
	must(err)
	say("a CRD is changed", listed.Items[0].Labels["a"] == "b" && listed.Items[0].Status.StoredVersions[1] == "v0" && listed.Items[0].Annotations["c"] == "d")
	publish(client)
	must(crds.Delete(ctx, panName, metav1.DeleteOptions{}))
	say("a CRD is watched until it has gone", gone(events))
	say("CRDs are sent and got in protobuf alone", len(seen.found) == 1 && seen.found["application/vnd.kubernetes.protobuf"])
}

// publish reads what the server publishes of a CRD, as kubectl does.
func publish(client clientset.Interface) {
	second, err := client.Discovery().OpenAPISchema()
	must(err)
	found := false
	for _, one := range second.Definitions.AdditionalProperties {
		found = found || one.Name == definition
	}
	say("OpenAPI v2 is read in protobuf", found)
	paths, err := client.Discovery().OpenAPIV3().Paths()
	must(err)
	text, err := paths["apis/pans.example.com/v1"].Schema(openAPIV3)
	must(err)
	third := &openapi_v3.Document{}
	must(proto.Unmarshal(text, third))
	found = false
	for _, one := range third.Components.Schemas.AdditionalProperties {
		found = found || one.Name == definition
	}
	say("OpenAPI v3 is read in protobuf", found)
}

// gone returns whether a watch has told of a CRD from its beginning to its end.
func gone(events watch.Interface) bool {
	first := true
	for event := range events.ResultChan() {
		crd, isCRD := event.Object.(*apiextensionsv1.CustomResourceDefinition)
		if !isCRD || crd.Name != panName || (event.Type == watch.Added) != first {
			return false
		}
		if event.Type == watch.Deleted {
			return true
		}
		first = false
	}
	return false
}

func pan() *apiextensionsv1.CustomResourceDefinition {
	most := 9.5
	size := apiextensionsv1.JSONSchemaProps{
		Type:    "number",
		Maximum: &most,
		Default: &apiextensionsv1.JSON{Raw: []byte("3")},
		Enum:    []apiextensionsv1.JSON{{Raw: []byte("1.5")}, {Raw: []byte(" 3")}},
	}
	// Most programs say no more of a map than this.
	others := &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"}}
	spec := apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"size":  size,
			"notes": {Type: "object", AdditionalProperties: others},
			"tags": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{
				Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"},
			}},
		},
	}
	schema := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec}}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: panName},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "pans.example.com",
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "pans", Kind: "Pan"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema},
			}},
		},
	}
}

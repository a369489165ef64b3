// Command timing says how long the reference takes for a CRD and for a custom resource, in one process and without a server.
//
// It reads one JSON object a line and answers each with one line: seconds of processor time for one call, the mean of the best
// round; the garbage collector counts.
//
//	{"crd": a v1 CRD, "object": a custom resource or null, "namespace": "default", "rounds": 15, "calls": 50}
//	{"problem": "", "crd": …, "create": …, "update": …, "validate": …, "rules": …}
//
// A CRD is defaulted, converted and validated, its CEL rules compiled and costed. An object is coerced, pruned, defaulted and validated as
// the handler of custom resources does it; an update reads the stored object first. Of these, "validate" is what the schema alone takes,
// and "rules" what the rules take on the object as it is stored, 0 without rules. Decoding and encoding JSON is left out.
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"crd-oracle/reference/measuring"
)

type question struct {
	CRD       json.RawMessage `json:"crd"`
	Object    json.RawMessage `json:"object"`
	Namespace string          `json:"namespace"`
	Rounds    int             `json:"rounds"`
	Calls     int             `json:"calls"`
}

type answer struct {
	Problem  string  `json:"problem"`
	CRD      float64 `json:"crd"`
	Create   float64 `json:"create"`
	Update   float64 `json:"update"`
	Validate float64 `json:"validate"`
	Rules    float64 `json:"rules"`
}

// strategy is what of the strategy of custom resources is called; its type is not exported.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

type server struct {
	strategy   strategy
	structural *schema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
	ctx        context.Context
}

var scheme = runtime.NewScheme()

func main() {
	install.Install(scheme)
	measuring.Answer(func(line []byte) any {
		a := answer{}
		if err := a.measure(line); err != nil {
			a.Problem = err.Error()
		}
		return a
	})
}

func (a *answer) measure(line []byte) error {
	q := question{}
	if err := json.Unmarshal(line, &q); err != nil {
		return err
	}
	sent := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(q.CRD, sent); err != nil {
		return err
	}
	var err error
	var crd *apiextensions.CustomResourceDefinition
	var fresh *apiextensionsv1.CustomResourceDefinition
	a.CRD = measuring.Best(q.Rounds, 1, func() { fresh = sent.DeepCopy() }, func(int) { crd, err = accepted(fresh) })
	if err != nil || len(q.Object) == 0 || string(q.Object) == "null" {
		return err
	}
	object := map[string]interface{}{}
	if err := utiljson.Unmarshal(q.Object, &object); err != nil {
		return err
	}
	s, err := serve(crd, &unstructured.Unstructured{Object: object}, q.Namespace)
	if err != nil {
		return err
	}
	return a.measureObject(s, &unstructured.Unstructured{Object: object}, q)
}

func (a *answer) measureObject(s *server, object *unstructured.Unstructured, q question) error {
	stored := object.DeepCopy()
	if err := s.create(stored); err != nil {
		return err
	}
	stored.SetResourceVersion("1")
	var failed error
	note := func(err error) {
		if err != nil {
			failed = err
		}
	}
	var news, olds []*unstructured.Unstructured
	a.Create = measuring.Best(q.Rounds, q.Calls,
		func() { news = measuring.Copied(object, q.Calls) },
		func(i int) { note(s.create(news[i])) })
	a.Update = measuring.Best(q.Rounds, q.Calls,
		func() { news, olds = measuring.Copied(stored, q.Calls), measuring.Copied(stored, q.Calls) },
		func(i int) { note(s.update(news[i], olds[i])) })
	a.Validate = measuring.Best(q.Rounds, q.Calls,
		func() {},
		func(int) { note(validation.ValidateCustomResource(nil, stored.Object, s.validator).ToAggregate()) })
	if s.rules != nil {
		a.Rules = measuring.Best(q.Rounds, q.Calls, func() {}, func(int) {
			errs, _ := s.rules.Validate(s.ctx, nil, s.structural, stored.Object, nil, celconfig.RuntimeCELCostBudget)
			note(errs.ToAggregate())
		})
	}
	return failed
}

// accepted defaults, converts and validates a CRD as a POST does.
func accepted(crd *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	scheme.Default(crd)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(crd, internal, nil); err != nil {
		return nil, err
	}
	errs := crdvalidation.ValidateCustomResourceDefinition(context.Background(), internal)
	return internal, errs.ToAggregate()
}

// serve makes ready what the handler of custom resources keeps of the version of an object.
func serve(crd *apiextensions.CustomResourceDefinition, object *unstructured.Unstructured, namespace string) (*server, error) {
	kind := object.GroupVersionKind()
	declared, err := apiextensions.GetSchemaForVersion(crd, kind.Version)
	if err != nil || declared == nil || declared.OpenAPIV3Schema == nil {
		return nil, fmt.Errorf("no schema for %s: %v", kind.Version, err)
	}
	s := &server{}
	if s.structural, err = schema.NewStructural(declared.OpenAPIV3Schema); err != nil {
		return nil, err
	}
	if s.validator, _, err = validation.NewSchemaValidator(declared.OpenAPIV3Schema); err != nil {
		return nil, err
	}
	s.rules = cel.NewValidator(s.structural, true, celconfig.PerCallLimit)
	subresources, err := apiextensions.GetSubresourcesForVersion(crd, kind.Version)
	if err != nil {
		return nil, err
	}
	if subresources == nil {
		subresources = &apiextensions.CustomResourceSubresources{}
	}
	namespaced := crd.Spec.Scope == apiextensions.NamespaceScoped
	if !namespaced {
		namespace = metav1.NamespaceNone
	}
	s.ctx = request.WithNamespace(context.Background(), namespace)
	s.strategy = customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), namespaced, kind, s.validator, nil,
		s.structural, subresources.Status, subresources.Scale, nil)
	return s, nil
}

func (s *server) create(u *unstructured.Unstructured) error {
	if err := s.decoded(u, false); err != nil {
		return err
	}
	rest.FillObjectMetaSystemFields(u)
	return rest.BeforeCreate(s.strategy, s.ctx, u)
}

func (s *server) update(u, old *unstructured.Unstructured) error {
	if err := s.decoded(old, true); err != nil {
		return err
	}
	if err := s.decoded(u, false); err != nil {
		return err
	}
	return rest.BeforeUpdate(s.strategy, s.ctx, u, old)
}

// decoded calls the passes in the order of unstructuredSchemaCoercer.apply, which is not exported, and applies the defaults.
func (s *server) decoded(u *unstructured.Unstructured, drop bool) error {
	kind, apiVersion := u.GetKind(), u.GetAPIVersion()
	meta, found, _, err := objectmeta.GetObjectMetaWithOptions(u.Object,
		objectmeta.ObjectMetaOptions{DropMalformedFields: drop, ReturnUnknownFieldPaths: !drop})
	if err != nil {
		return err
	}
	pruning.PruneWithOptions(u.Object, s.structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: !drop})
	defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, s.structural)
	options := objectmeta.CoerceOptions{DropInvalidFields: drop, ReturnUnknownFieldPaths: !drop}
	if problem, _ := objectmeta.CoerceWithOptions(nil, u.Object, s.structural, false, options); problem != nil {
		return problem
	}
	u.SetKind(kind)
	u.SetAPIVersion(apiVersion)
	if found {
		if err := objectmeta.SetObjectMeta(u.Object, meta); err != nil {
			return err
		}
	}
	defaulting.Default(u.Object, s.structural)
	return nil
}

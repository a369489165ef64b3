package main

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kube-openapi/pkg/spec3"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// strategy is what of the strategy of custom resources is called; its type is not exported.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
	rest.ResetFieldsStrategy
}

// server is what the handler of custom resources keeps of a version.
type server struct {
	kind       runtimeschema.GroupVersionKind
	strategy   strategy
	structural *schema.Structural
	prunes     bool
	converter  runtime.ObjectConvertor
	manager    *managedfields.FieldManager
	serializer runtime.Serializer
	ctx        context.Context
}

var scheme = runtime.NewScheme()

func init() { install.Install(scheme) }

func serve(crd *apiextensionsv1.CustomResourceDefinition, version, namespace string) (*server, error) {
	scheme.Default(crd)
	crd.Status.AcceptedNames = crd.Spec.Names
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(crd, internal, nil); err != nil {
		return nil, err
	}
	kind := runtimeschema.GroupVersionKind{Group: crd.Spec.Group, Version: version, Kind: crd.Spec.Names.Kind}
	declared, err := apiextensions.GetSchemaForVersion(internal, version)
	if err != nil || declared == nil || declared.OpenAPIV3Schema == nil {
		return nil, fmt.Errorf("no schema for %s: %v", version, err)
	}
	s := &server{kind: kind, prunes: !crd.Spec.PreserveUnknownFields}
	if s.structural, err = schema.NewStructural(declared.OpenAPIV3Schema); err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(declared.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	subresources, err := apiextensions.GetSubresourcesForVersion(internal, version)
	if err != nil {
		return nil, err
	}
	if subresources == nil {
		subresources = &apiextensions.CustomResourceSubresources{}
	}
	namespaced := crd.Spec.Scope == apiextensionsv1.NamespaceScoped
	if !namespaced {
		namespace = metav1.NamespaceNone
	}
	s.ctx = request.WithNamespace(context.Background(), namespace)
	typer := crdserverscheme.NewUnstructuredObjectTyper()
	s.strategy = customresource.NewStrategy(typer, namespaced, kind, validator, nil, s.structural, subresources.Status, subresources.Scale, nil)
	s.serializer = json.NewSerializerWithOptions(json.DefaultMetaFactory, creator{}, typer, json.SerializerOptions{Strict: true})
	factory, err := conversion.NewCRConverterFactory(nil, nil)
	if err != nil {
		return nil, err
	}
	if s.converter, _, err = factory.NewConverter(crd); err != nil {
		return nil, err
	}
	types, err := typesOf(crd)
	if err != nil {
		return nil, err
	}
	s.manager, err = managedfields.NewDefaultCRDFieldManager(types, s.converter, s, creator{}, kind, kind.GroupVersion(), "",
		fieldpath.NewExcludeFilterSetMap(s.strategy.GetResetFields()))
	return s, err
}

// typesOf builds the types by which objects are merged of what is published of all versions.
func typesOf(crd *apiextensionsv1.CustomResourceDefinition) (managedfields.TypeConverter, error) {
	specs := []*spec3.OpenAPI{}
	for _, v := range crd.Spec.Versions {
		published, err := builder.BuildOpenAPIV3(crd, v.Name, builder.Options{})
		if err != nil {
			return nil, err
		}
		specs = append(specs, published)
	}
	merged, err := builder.MergeSpecsV3(specs...)
	if err != nil {
		return nil, err
	}
	return managedfields.NewTypeConverter(merged.Components.Schemas, crd.Spec.PreserveUnknownFields)
}

// creator makes objects of which nothing is known but their kind.
type creator struct{}

func (creator) New(kind runtimeschema.GroupVersionKind) (runtime.Object, error) {
	made := &unstructured.Unstructured{}
	made.SetGroupVersionKind(kind)
	return made, nil
}

// Default puts in what the schema defaults.
func (s *server) Default(in runtime.Object) {
	defaulting.Default(in.(*unstructured.Unstructured).Object, s.structural)
}

// coerce calls the passes in the order of unstructuredSchemaCoercer.apply, which is not exported.
func (s *server) coerce(u *unstructured.Unstructured, drop bool) error {
	kind, apiVersion := u.GetKind(), u.GetAPIVersion()
	meta, found, _, err := objectmeta.GetObjectMetaWithOptions(u.Object,
		objectmeta.ObjectMetaOptions{DropMalformedFields: drop, ReturnUnknownFieldPaths: !drop})
	if err != nil {
		return err
	}
	if s.prunes {
		pruning.PruneWithOptions(u.Object, s.structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: !drop})
		defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, s.structural)
	}
	options := objectmeta.CoerceOptions{DropInvalidFields: drop, ReturnUnknownFieldPaths: !drop}
	if problem, _ := objectmeta.CoerceWithOptions(nil, u.Object, s.structural, false, options); problem != nil {
		return problem
	}
	u.SetKind(kind)
	u.SetAPIVersion(apiVersion)
	if found {
		return objectmeta.SetObjectMeta(u.Object, meta)
	}
	return nil
}

// decoded does what decoders do after JSON is read: of what is stored, drop says, what is malformed is dropped.
func (s *server) decoded(u *unstructured.Unstructured, drop bool) error {
	if err := s.coerce(u, drop); err != nil {
		return err
	}
	s.Default(u)
	return nil
}

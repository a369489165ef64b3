//go:build before_1_22

package main

import (
	"reflect"
	"strings"

	"github.com/go-openapi/spec"
	"k8s.io/kube-openapi/pkg/common"
)

// keys are those of the lists whose items are known by one, by struct and field, as comments beside the types say: `+listMapKey`.
var keys = map[string]string{"CustomResourceDefinitionStatus.conditions": "type"}

// define adds the definition of a struct, and of all structs that it refers to. Without descriptions, which decide nothing.
func define(of reflect.Type, ref common.ReferenceCallback, found map[string]common.OpenAPIDefinition) {
	if _, ok := found[nameOf(of)]; ok {
		return
	}
	found[nameOf(of)] = common.OpenAPIDefinition{} // it may refer to itself
	made := common.OpenAPIDefinition{Schema: spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}}}}
	if types, format, ok := stated(of); ok {
		made.Schema.Type, made.Schema.Format = types, format
	} else {
		fill(&made, of, ref, found)
	}
	found[nameOf(of)] = made
}

func fill(made *common.OpenAPIDefinition, of reflect.Type, ref common.ReferenceCallback, found map[string]common.OpenAPIDefinition) {
	for i := 0; i < of.NumField(); i++ {
		field := of.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && strings.Contains(options, "inline") {
			fill(made, field.Type, ref, found)
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		schema := schemaOf(field.Type, made, ref, found)
		if !strings.Contains(options, "omitempty") || field.Type.Kind() == reflect.Struct {
			schema.Default = zero(field.Type)
		}
		if key, ok := keys[of.Name()+"."+name]; ok {
			schema.AddExtension("x-kubernetes-list-type", "map")
			schema.AddExtension("x-kubernetes-list-map-keys", []interface{}{key})
		}
		made.Schema.SetProperty(name, schema)
	}
}

func schemaOf(of reflect.Type, in *common.OpenAPIDefinition, ref common.ReferenceCallback, found map[string]common.OpenAPIDefinition) spec.Schema {
	switch of.Kind() {
	case reflect.Ptr:
		return schemaOf(of.Elem(), in, ref, found)
	case reflect.Struct:
		if _, ok := found[nameOf(of)]; !ok {
			define(of, ref, found)
		}
		in.Dependencies = append(in.Dependencies, nameOf(of))
		return spec.Schema{SchemaProps: spec.SchemaProps{Ref: ref(nameOf(of))}}
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return scalar("string", "byte")
		}
		items := schemaOf(of.Elem(), in, ref, found)
		items.Default = zero(of.Elem())
		return spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"array"}, Items: &spec.SchemaOrArray{Schema: &items}}}
	case reflect.Map:
		values := schemaOf(of.Elem(), in, ref, found)
		values.Default = zero(of.Elem())
		further := spec.SchemaOrBool{Allows: true, Schema: &values}
		return spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}, AdditionalProperties: &further}}
	case reflect.Bool:
		return scalar("boolean", "")
	case reflect.Float64:
		return scalar("number", "double")
	case reflect.Int32:
		return scalar("integer", "int32")
	case reflect.Int64:
		return scalar("integer", "int64")
	}
	return scalar("string", "")
}

// zero returns the default of what is always there: nothing of what may be null.
func zero(of reflect.Type) interface{} {
	switch of.Kind() {
	case reflect.Ptr, reflect.Map, reflect.Slice, reflect.Interface:
		return nil
	case reflect.Struct:
		return map[string]interface{}{}
	}
	return reflect.Zero(of).Interface()
}

func scalar(kind, format string) spec.Schema {
	return spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{kind}, Format: format}}
}

// stated returns the type that a Go type says that it has in OpenAPI, as those do that are more than one.
func stated(of reflect.Type) ([]string, string, bool) {
	value, ok := reflect.Zero(of).Interface().(interface {
		OpenAPISchemaType() []string
		OpenAPISchemaFormat() string
	})
	if !ok {
		return nil, "", false
	}
	return value.OpenAPISchemaType(), value.OpenAPISchemaFormat(), true
}

func nameOf(of reflect.Type) string { return of.PkgPath() + "." + of.Name() }

// Prints the defaults of the Go types in built-in kinds: by type and kind, the fields that the server sets in an empty struct.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"example.com/kube/builtinkinds"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/controlplane"
)

// whole are the structs without fields of their own, as far as defaults matter.
var whole = map[reflect.Type]bool{
	reflect.TypeFor[metav1.Time]():          true,
	reflect.TypeFor[metav1.MicroTime]():     true,
	reflect.TypeFor[resource.Quantity]():    true,
	reflect.TypeFor[intstr.IntOrString]():   true,
	reflect.TypeFor[metav1.FieldsV1]():      true,
	reflect.TypeFor[metav1.ObjectMeta]():    true,
	reflect.TypeFor[metav1.TypeMeta]():      true,
	reflect.TypeFor[runtime.RawExtension](): true,
}

// path leads from an object to a struct in it: a field number, or -1 for what a pointer or a list holds.
type path []int

func main() {
	types := map[string]map[string]map[string]json.RawMessage{}
	for kind, t := range builtinkinds.Types() {
		for _, way := range ways(t, nil) {
			name, defaults := probe(t, way)
			if types[name] == nil {
				types[name] = map[string]map[string]json.RawMessage{}
			}
			if others, ok := types[name][kind]; ok && !reflect.DeepEqual(defaults, others) && name != "resource.v1.DeviceTaint" {
				panic(fmt.Sprintf("the defaults of %s depend on its place in %s: %s, %s", name, kind, defaults, others))
			}
			types[name][kind] = defaults
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	if err := encoder.Encode(types); err != nil {
		panic(err)
	}
}

// ways returns the paths to the structs in a type that have a place of their own in JSON.
func ways(t reflect.Type, to path) []path {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return ways(t.Elem(), append(append(path{}, to...), -1))
	case reflect.Struct:
		if whole[t] {
			return nil
		}
		return append([]path{to}, below(t, to)...)
	}
	return nil
}

// below returns the paths to the structs in the fields of a struct.
func below(t reflect.Type, to path) []path {
	found := []path{}
	for i := range t.NumField() {
		next := append(append(path{}, to...), i)
		if isInlined(t.Field(i)) && !whole[t.Field(i).Type] {
			found = append(found, below(t.Field(i).Type, next)...)
			continue
		}
		found = append(found, ways(t.Field(i).Type, next)...)
	}
	return found
}

func isInlined(f reflect.StructField) bool {
	return f.Anonymous && strings.Split(f.Tag.Get("json"), ",")[0] == ""
}

// probe returns the name of the struct at a path, and the fields that the server sets if the struct is empty and all others exist.
func probe(t reflect.Type, way path) (string, map[string]json.RawMessage) {
	object := reflect.New(t)
	fill(object.Elem())
	place := object.Elem()
	for _, step := range way {
		switch {
		case step >= 0:
			place = place.Field(step)
		case place.Kind() == reflect.Slice:
			place = place.Index(0)
		default:
			place = place.Elem()
		}
	}
	place.Set(reflect.Zero(place.Type()))
	before := fields(place)
	legacyscheme.Scheme.Default(object.Interface().(runtime.Object))
	aggregatorscheme.Scheme.Default(object.Interface().(runtime.Object))
	after := fields(place)
	for name, value := range after {
		if string(before[name]) == string(value) || isStruct(place.Type(), name) {
			delete(after, name)
		}
	}
	parts := strings.Split(place.Type().PkgPath(), "/")
	return strings.Join(parts[len(parts)-2:], ".") + "." + place.Type().Name(), after
}

// fields returns the fields of a struct in JSON.
func fields(place reflect.Value) map[string]json.RawMessage {
	text, err := json.Marshal(place.Interface())
	if err != nil {
		panic(err)
	}
	found := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &found); err != nil {
		panic(fmt.Sprintf("%s: %s", place.Type(), text))
	}
	return found
}

// isStruct returns whether a field holds a struct that has its own defaults.
func isStruct(t reflect.Type, name string) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		if isInlined(f) && isStruct(f.Type, name) {
			return true
		}
		if strings.Split(f.Tag.Get("json"), ",")[0] == name {
			return f.Type.Kind() == reflect.Struct && !whole[f.Type] || f.Type == reflect.TypeFor[metav1.ObjectMeta]()
		}
	}
	return false
}

// fill gives a value all structs that it can have: one in each list, and one behind each pointer.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		if whole[v.Type()] {
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

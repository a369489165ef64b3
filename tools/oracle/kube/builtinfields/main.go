// Prints the fields of the Go types of built-in kinds, as JSON is decoded into them.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"example.com/kube/builtinkinds"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The types that decode themselves, with how they are called in the table.
var special = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():          "time",
	reflect.TypeFor[metav1.MicroTime]():     "micro time",
	reflect.TypeFor[resource.Quantity]():    "quantity",
	reflect.TypeFor[intstr.IntOrString]():   "int or string",
	reflect.TypeFor[metav1.FieldsV1]():      "raw",
	reflect.TypeFor[runtime.RawExtension](): "raw extension",
}

// What a type is called in messages, and its fields: what each is called in JSON, of which type it is, and whether it is
// written where it is empty; and of what is inlined, in what it is inlined.
type structType struct {
	Go     string  `json:"go"`
	Fields [][]any `json:"fields"`
}

var types = map[string]structType{}

func main() {
	roots := map[string]string{}
	for name, kind := range builtinkinds.Types() {
		roots[name] = strings.TrimPrefix(kindOf(kind), ".")
	}
	encoder := json.NewEncoder(os.Stdout)
	if err := encoder.Encode(map[string]any{"kinds": roots, "types": types}); err != nil {
		panic(err)
	}
}

// kindOf returns how a type is called in the table.
func kindOf(t reflect.Type) string {
	if name, ok := special[t]; ok {
		return name
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) && t.Kind() != reflect.Pointer {
		panic(fmt.Sprintf("how does %s decode itself?", t))
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + kindOf(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return calledOtherwise(t, "[]"+t.Elem().String()) + "[]" + kindOf(t.Elem())
	case reflect.Map:
		return calledOtherwise(t, "map[string]"+t.Elem().String()) + "map " + kindOf(t.Elem())
	case reflect.Struct:
		parts := strings.Split(t.PkgPath(), "/")
		name := strings.Join(parts[len(parts)-2:], ".") + "." + t.Name()
		visit(name, t)
		return "." + name
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return calledOtherwise(t, t.Kind().String()) + t.Kind().String()
	}
	panic(fmt.Sprintf("what is %s?", t))
}

// calledOtherwise returns a type's own name, where it has one, and what stands behind it.
func calledOtherwise(t reflect.Type, usual string) string {
	if t.String() == usual {
		return ""
	}
	return t.String() + "="
}

func visit(name string, t reflect.Type) {
	if _, known := types[name]; known {
		return
	}
	types[name] = structType{}
	types[name] = structType{t.String(), fieldsOf(t, "")}
}

// fieldsOf returns the fields of a struct, those of what is inlined in their place.
func fieldsOf(t reflect.Type, inlined string) [][]any {
	found := [][]any{}
	for i := range t.NumField() {
		f := t.Field(i)
		options := strings.Split(f.Tag.Get("json"), ",")
		if options[0] == "" {
			if !f.Anonymous {
				panic(fmt.Sprintf("what is %s of %s called?", f.Name, t))
			}
			found = append(found, fieldsOf(f.Type, strings.TrimPrefix(inlined+"."+f.Name, "."))...)
			continue
		}
		row := []any{options[0], kindOf(f.Type), isWritten(f.Type, options[1:])}
		if inlined != "" {
			row = append(row, inlined)
		}
		found = append(found, row)
	}
	return found
}

// isWritten returns whether a field is written where it is empty.
func isWritten(t reflect.Type, options []string) bool {
	isZeroLeftOut := slices.Contains(options, "omitzero")
	if isZeroLeftOut && t != reflect.TypeFor[metav1.Time]() {
		panic("when is it zero?")
	}
	return !isZeroLeftOut && (t.Kind() == reflect.Struct || !slices.Contains(options, "omitempty"))
}

// Prints how built-in kinds and CRDs are written in protobuf, and examples of each: bytes, and the JSON of what is read from them.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/kube/builtinkinds"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The kinds besides the built-in ones, by apiVersion and kind.
var others = map[string]message{
	"apiextensions.k8s.io/v1 CustomResourceDefinition":     &apiextensionsv1.CustomResourceDefinition{},
	"apiextensions.k8s.io/v1 CustomResourceDefinitionList": &apiextensionsv1.CustomResourceDefinitionList{},

	"autoscaling/v1 Scale": &autoscalingv1.Scale{},
	"v1 DeleteOptions":     &metav1.DeleteOptions{},

	"v1 Status":          &metav1.Status{},
	"v1 APIVersions":     &metav1.APIVersions{},
	"v1 APIGroupList":    &metav1.APIGroupList{},
	"v1 APIGroup":        &metav1.APIGroup{},
	"v1 APIResourceList": &metav1.APIResourceList{},

	"apidiscovery.k8s.io/v2 APIGroupDiscoveryList": &apidiscoveryv2.APIGroupDiscoveryList{},

	"meta.k8s.io/v1 PartialObjectMetadata":          &metav1.PartialObjectMetadata{},
	"meta.k8s.io/v1 PartialObjectMetadataList":      &metav1.PartialObjectMetadataList{},
	"meta.k8s.io/v1beta1 PartialObjectMetadata":     &metav1beta1.PartialObjectMetadata{},
	"meta.k8s.io/v1beta1 PartialObjectMetadataList": &metav1beta1.PartialObjectMetadataList{},
}

type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// What JSON writes in a way of its own, with what is written in protobuf.
var special = map[reflect.Type]any{
	reflect.TypeOf(metav1.Time{}):          metav1.Timestamp{},
	reflect.TypeOf(metav1.MicroTime{}):     metav1.Timestamp{},
	reflect.TypeOf(resource.Quantity{}):    quantity{},
	reflect.TypeOf(intstr.IntOrString{}):   intstr.IntOrString{},
	reflect.TypeOf(metav1.FieldsV1{}):      metav1.FieldsV1{},
	reflect.TypeOf(runtime.RawExtension{}): runtime.RawExtension{},
}

// What generated.proto says of a quantity, and of a list of texts that is a message.
type quantity struct {
	String_ string `protobuf:"bytes,1,opt,name=string"`
}

type texts struct {
	Items []string `protobuf:"bytes,1,rep,name=items"`
}

type field struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Flags  string `json:"flags"`
	Go     string `json:"go"`
}

// What Go writes and reads: bytes, the JSON of what it reads from them, and what it writes of that JSON where it is something else.
// Of bytes that it does not read, why.
type example struct {
	Kind    string          `json:"kind"`
	Bytes   []byte          `json:"bytes"`
	JSON    json.RawMessage `json:"json,omitempty"`
	Written []byte          `json:"written,omitzero"`
	Error   string          `json:"error,omitempty"`
}

var types = map[string][]field{}

func main() {
	seed := flag.Int64("seed", 1, "of what is drawn")
	number := flag.Int("examples", 3, "how many of each kind")
	broken := flag.Int("broken", 3, "how many of each kind that are broken")
	flag.Parse()
	roots := map[string]string{}
	examples := []example{}
	visit(reflect.TypeOf(runtime.Unknown{}))
	kinds := all()
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		kind := kinds[name]
		roots[name] = named(kind)
		visit(kind)
		source := rand.New(rand.NewSource(*seed + hashed(name)))
		made := [][]byte{}
		for one := 0; one < *number; one++ {
			made = append(made, drawn(name, kind, source, one))
			if found, ok := read(name, kind, made[one]); ok {
				examples = append(examples, found)
			}
		}
		for one := 0; one < *broken && len(made) > 0; one++ {
			if found, ok := read(name, kind, damaged(made, source)); ok {
				examples = append(examples, found)
			}
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	if err := encoder.Encode(map[string]any{"kinds": roots, "types": types, "examples": examples}); err != nil {
		panic(err)
	}
}

// hashed returns a number of a name, so that what is drawn of a kind does not depend on which others there are.
func hashed(name string) int64 {
	hash := fnv.New32()
	hash.Write([]byte(name))
	return int64(hash.Sum32())
}

// drawn returns what Go writes of an object that is drawn at random; the first one is empty.
func drawn(name string, kind reflect.Type, source *rand.Rand, number int) []byte {
	sent := reflect.New(kind)
	if number > 0 {
		depth := number + 2
		if strings.HasSuffix(name, "List") {
			depth = 4
		}
		fill(sent.Elem(), source, depth)
		if crd, ok := sent.Interface().(*apiextensionsv1.CustomResourceDefinition); ok {
			// What is drawn seldom gets as far as to schemas.
			schema := &apiextensionsv1.JSONSchemaProps{}
			fill(reflect.ValueOf(schema).Elem(), source, depth)
			version := apiextensionsv1.CustomResourceDefinitionVersion{Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema}}
			crd.Spec.Versions = append(crd.Spec.Versions, version)
		}
	}
	written, err := sent.Interface().(message).Marshal()
	if err != nil {
		panic(err)
	}
	return written
}

// damaged returns what a client writes that has a mistake, or one that sends a field twice.
func damaged(made [][]byte, source *rand.Rand) []byte {
	found := append([]byte{}, made[source.Intn(len(made))]...)
	if len(found) == 0 || source.Intn(4) == 0 {
		return append(found, made[source.Intn(len(made))]...)
	}
	at := source.Intn(len(found))
	switch source.Intn(4) {
	case 0:
		return found[:at]
	case 1:
		found[at] = byte(source.Intn(256))
		return found
	case 2:
		return append(found[:at], found[at+1:]...)
	}
	return append(found[:at], append([]byte{byte(source.Intn(256))}, found[at:]...)...)
}

// read returns what Go reads; false where it cannot say that in JSON.
func read(name string, kind reflect.Type, sent []byte) (example, bool) {
	found := reflect.New(kind)
	if err := found.Interface().(message).Unmarshal(sent); err != nil {
		return example{Kind: name, Bytes: sent, Error: err.Error()}, true
	}
	text, err := json.Marshal(found.Interface())
	if err != nil || !utf8.Valid(text) {
		return example{}, false
	}
	again := reflect.New(kind)
	if err := json.Unmarshal(text, again.Interface()); err != nil {
		return example{}, false
	}
	written, err := again.Interface().(message).Marshal()
	if err != nil {
		panic(err)
	}
	if bytes.Equal(written, sent) {
		written = nil
	}
	return example{Kind: name, Bytes: sent, JSON: text, Written: written}, true
}

// all returns the types of all kinds, by apiVersion and kind.
func all() map[string]reflect.Type {
	kinds := builtinkinds.Types()
	maps.Copy(kinds, builtinkinds.Lists())
	for name, kind := range others {
		kinds[name] = reflect.TypeOf(kind).Elem()
	}
	return kinds
}

func named(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	return strings.Join(parts[len(parts)-2:], ".") + "." + t.Name()
}

// visit writes down the fields of a struct, and those of the structs in it.
func visit(t reflect.Type) {
	name := named(t)
	if _, known := types[name]; known {
		return
	}
	types[name] = []field{}
	if isWrapped(t) {
		t = reflect.TypeOf(texts{})
	}
	if written, ok := special[t]; ok {
		t = reflect.TypeOf(written)
	}
	found := []field{}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		tag, ok := f.Tag.Lookup("protobuf")
		if !ok || tag == "-" {
			continue
		}
		number, err := strconv.Atoi(strings.Split(tag, ",")[1])
		if err != nil {
			panic(err)
		}
		options := strings.Split(f.Tag.Get("json"), ",")
		found = append(found, field{number, nameOf(f), kindOf(f.Type), flags(f.Type, options[1:]), f.Name})
	}
	types[name] = found
}

// nameOf returns what a field is called in JSON, or in protobuf where it has no name there; empty of what stands among the fields around it.
func nameOf(f reflect.StructField) string {
	tag, ok := f.Tag.Lookup("json")
	name := strings.Split(tag, ",")[0]
	if ok && name != "-" && (name != "" || f.Anonymous) {
		return name
	}
	_, named, _ := strings.Cut(f.Tag.Get("protobuf"), "name=")
	return strings.Split(named, ",")[0]
}

func flags(t reflect.Type, options []string) string {
	found := ""
	for _, option := range options {
		isStruct := t.Kind() == reflect.Struct
		if isStruct && option == "omitzero" && t != reflect.TypeOf(metav1.Time{}) {
			panic("when is it zero?")
		}
		if option == "omitzero" || (option == "omitempty" && !isStruct) {
			found = "o"
		}
	}
	if t.Kind() == reflect.Pointer {
		found += "p"
	}
	return found
}

// isWrapped returns whether a list is a message, as verbs are.
func isWrapped(t reflect.Type) bool {
	if t.Kind() != reflect.Slice {
		return false
	}
	_, ok := reflect.New(t).Interface().(message)
	return ok
}

func kindOf(t reflect.Type) string {
	if _, ok := special[t]; ok || isWrapped(t) {
		visit(t)
		return "." + named(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + kindOf(t.Elem())
	case reflect.Map:
		return "map " + kindOf(t.Elem())
	case reflect.Struct:
		visit(t)
		return "." + named(t)
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int32:
		return "int32"
	case reflect.Int64:
		return "int"
	case reflect.Float64:
		return "float64"
	}
	panic(fmt.Sprintf("what is %s?", t))
}

// fill draws what stands in a value.
func fill(v reflect.Value, source *rand.Rand, depth int) {
	switch value := v.Addr().Interface().(type) {
	case *metav1.Time:
		*value = metav1.NewTime(time.Unix(source.Int63n(2e9), 0))
		return
	case *metav1.MicroTime:
		*value = metav1.NewMicroTime(time.Unix(source.Int63n(2e9), source.Int63n(1e6)*1000))
		return
	case *resource.Quantity:
		*value = resource.MustParse([]string{"1", "250m", "1Gi", "0", "1.5", "1000m", "2048Ki", "5e3"}[source.Intn(8)])
		return
	case *intstr.IntOrString:
		*value = []intstr.IntOrString{intstr.FromInt32(8080), intstr.FromString("http"), intstr.FromInt32(0)}[source.Intn(3)]
		return
	case *runtime.RawExtension:
		value.Raw = []byte(`{"a":[1,2.5],"b":null}`)
		return
	case *metav1.FieldsV1:
		value.Raw = []byte(`{"f:spec":{".":{},"f:a":{}}}`)
		return
	case *apiextensionsv1.JSON:
		raw := []string{`{"a":[1,2.5,"\u003cé"],"b":null}`, `"x"`, `1e+21`, `true`, `null`, ``}[source.Intn(6)]
		value.Raw = []byte(raw)
		return
	}
	if isWrapped(v.Type()) {
		texts := [][]string{{"get", "list"}, {""}}[source.Intn(2)]
		v.Set(reflect.MakeSlice(v.Type(), 0, len(texts)))
		for _, text := range texts {
			v.Set(reflect.Append(v, reflect.ValueOf(text).Convert(v.Type().Elem())))
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if source.Intn(2) == 0 && depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), source, depth-1)
		}
	case reflect.Slice:
		if depth < 1 {
			return
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte{0, 1, byte(source.Intn(256))})
			return
		}
		for range source.Intn(3) {
			item := reflect.New(v.Type().Elem()).Elem()
			fill(item, source, depth-1)
			v.Set(reflect.Append(v, item))
		}
	case reflect.Map:
		if depth < 1 || source.Intn(2) == 0 {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for _, key := range []string{"a", "é"} {
			item := reflect.New(v.Type().Elem()).Elem()
			fill(item, source, depth-1)
			v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), item)
		}
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			tag, ok := v.Type().Field(i).Tag.Lookup("protobuf")
			// Few structs have such a list, and so they always have one.
			isRare := isWrapped(v.Type().Field(i).Type)
			if ok && tag != "-" && (source.Intn(3) > 0 || isRare) {
				fill(v.Field(i), source, depth-1)
			}
		}
	case reflect.String:
		v.SetString([]string{"", "a", "Tür", "b/c"}[source.Intn(4)])
	case reflect.Bool:
		v.SetBool(source.Intn(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, 300, 1 << 30}[source.Intn(5)])
	case reflect.Float64:
		v.SetFloat([]float64{0, 1, -2.5, 1e21, 1e-7, 9007199254740993}[source.Intn(6)])
	}
}

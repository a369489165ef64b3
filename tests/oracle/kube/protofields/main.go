// Prints how built-in kinds are written in protobuf, and examples of each: bytes, and the JSON of what is read from them.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The kinds, by apiVersion and kind.
var kinds = map[string]message{
	"v1 Namespace":                 &corev1.Namespace{},
	"v1 ConfigMap":                 &corev1.ConfigMap{},
	"v1 Secret":                    &corev1.Secret{},
	"v1 Event":                     &corev1.Event{},
	"v1 ServiceAccount":            &corev1.ServiceAccount{},
	"v1 Pod":                       &corev1.Pod{},
	"v1 Service":                   &corev1.Service{},
	"v1 PersistentVolumeClaim":     &corev1.PersistentVolumeClaim{},
	"apps/v1 Deployment":           &appsv1.Deployment{},
	"apps/v1 StatefulSet":          &appsv1.StatefulSet{},
	"batch/v1 Job":                 &batchv1.Job{},
	"coordination.k8s.io/v1 Lease": &coordinationv1.Lease{},
	"events.k8s.io/v1 Event":       &eventsv1.Event{},
	"autoscaling/v1 Scale":         &autoscalingv1.Scale{},
	"v1 DeleteOptions":             &metav1.DeleteOptions{},
}

type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// What JSON writes in a way of its own.
var special = map[reflect.Type]string{
	reflect.TypeOf(metav1.Time{}):          "time",
	reflect.TypeOf(metav1.MicroTime{}):     "microtime",
	reflect.TypeOf(metav1.Duration{}):      "duration",
	reflect.TypeOf(resource.Quantity{}):    "quantity",
	reflect.TypeOf(intstr.IntOrString{}):   "intorstring",
	reflect.TypeOf(metav1.FieldsV1{}):      "raw",
	reflect.TypeOf(runtime.RawExtension{}): "raw",
}

type field struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Flags  string `json:"flags"`
	Go     string `json:"go"`
}

type example struct {
	Kind  string          `json:"kind"`
	Bytes []byte          `json:"bytes"`
	JSON  json.RawMessage `json:"json"`
}

var types = map[string][]field{}

func main() {
	roots := map[string]string{}
	examples := []example{}
	source := rand.New(rand.NewSource(1))
	for _, name := range sorted() {
		kind := reflect.TypeOf(kinds[name]).Elem()
		roots[name] = named(kind)
		visit(kind)
		for number := 0; number < 6; number++ {
			examples = append(examples, exampleOf(name, kind, source, number))
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	if err := encoder.Encode(map[string]any{"kinds": roots, "types": types, "examples": examples}); err != nil {
		panic(err)
	}
}

func sorted() []string {
	names := []string{}
	for name := range kinds {
		names = append(names, name)
	}
	for i := range names {
		for j := i + 1; j < len(names); j++ {
			if names[j] < names[i] {
				names[i], names[j] = names[j], names[i]
			}
		}
	}
	return names
}

func named(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	return strings.Join(parts[len(parts)-2:], ".") + "." + t.Name()
}

// visit writes down the fields of a struct, and those of the structs in it.
func visit(t reflect.Type) {
	if _, known := types[named(t)]; known {
		return
	}
	found := []field{}
	types[named(t)] = found
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
		found = append(found, field{number, options[0], kindOf(f.Type), flags(f.Type, options[1:]), f.Name})
	}
	types[named(t)] = found
}

func flags(t reflect.Type, options []string) string {
	found := ""
	for _, option := range options {
		isStruct := t.Kind() == reflect.Struct
		if option == "omitzero" || (option == "omitempty" && !isStruct) {
			found = "o"
		}
	}
	if t.Kind() == reflect.Pointer {
		found += "p"
	}
	return found
}

func kindOf(t reflect.Type) string {
	if name, ok := special[t]; ok {
		return name
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
	case reflect.Float64:
		return "float"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return "int"
	}
	panic(fmt.Sprintf("what is %s?", t))
}

func exampleOf(name string, kind reflect.Type, source *rand.Rand, number int) example {
	sent := reflect.New(kind)
	if number > 0 { // the first is empty
		fill(sent.Elem(), source, number+2)
	}
	bytes, err := sent.Interface().(message).Marshal()
	if err != nil {
		panic(err)
	}
	read := reflect.New(kind)
	if err := read.Interface().(message).Unmarshal(bytes); err != nil {
		panic(err)
	}
	text, err := json.Marshal(read.Interface())
	if err != nil {
		panic(err)
	}
	return example{name, bytes, text}
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
	case *metav1.Duration:
		value.Duration = time.Duration(source.Int63n(1e12))
		return
	case *resource.Quantity:
		*value = resource.MustParse([]string{"1", "250m", "1Gi", "0", "1.5"}[source.Intn(5)])
		return
	case *intstr.IntOrString:
		*value = []intstr.IntOrString{intstr.FromInt32(8080), intstr.FromString("http"), intstr.FromInt32(0)}[source.Intn(3)]
		return
	case *metav1.FieldsV1:
		value.Raw = []byte(`{"f:spec":{".":{},"f:a":{}}}`)
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
			if ok && tag != "-" && source.Intn(3) > 0 {
				fill(v.Field(i), source, depth-1)
			}
		}
	case reflect.String:
		v.SetString([]string{"", "a", "Tür", "b/c"}[source.Intn(4)])
	case reflect.Bool:
		v.SetBool(source.Intn(2) == 0)
	case reflect.Float64:
		v.SetFloat(float64(source.Intn(9)) / 4)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, 300, 1 << 30}[source.Intn(5)])
	}
}

// Command passes runs the reference's structural check and its decoding passes alone, thousands of objects a second.
//
// It reads one JSON object a line and answers each with one line:
//
//	{"schema": …, "path": "spec.validation.openAPIV3Schema", "preserveUnknownFields": false, "objects": ["JSON text", …]}
//	{"problem": "why there is no structural schema", "errors": [{"type", "field", "message"}, …], "defaultErrors": [the same],
//	 "objects": [{"problem": "the words of a 400", "paths": [unknown fields], "value": what would be validated}, …]}
//
// Objects are run through the passes only where the schema is structural and its defaults are valid: no other can be stored.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log"
	"os"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

type question struct {
	Schema                apiextensionsv1.JSONSchemaProps `json:"schema"`
	Path                  string                          `json:"path"`
	PreserveUnknownFields bool                            `json:"preserveUnknownFields"`
	Objects               []string                        `json:"objects"`
}

type fieldError struct {
	Type    string `json:"type"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

type decoded struct {
	Problem string      `json:"problem,omitempty"`
	Paths   []string    `json:"paths"`
	Value   interface{} `json:"value"`
}

type answer struct {
	Problem       string       `json:"problem,omitempty"`
	Errors        []fieldError `json:"errors"`
	DefaultErrors []fieldError `json:"defaultErrors"`
	Objects       []decoded    `json:"objects"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		bytes, err := json.Marshal(answered(line))
		if err != nil {
			log.Fatal(err)
		}
		out.Write(append(bytes, '\n'))
		out.Flush()
	}
}

func answered(line []byte) answer {
	q := question{}
	if err := json.Unmarshal(line, &q); err != nil {
		return answer{Problem: err.Error()}
	}
	internal := apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&q.Schema, &internal, nil); err != nil {
		return answer{Problem: err.Error()}
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	pth := path(q.Path)
	a := answer{Errors: told(schema.ValidateStructural(pth, structural)), DefaultErrors: []fieldError{}, Objects: []decoded{}}
	if !q.PreserveUnknownFields {
		if len(a.Errors) > 0 {
			return a
		}
		errs, err := defaulting.ValidateDefaults(context.Background(), pth, structural, true, true)
		if err != nil {
			return answer{Problem: err.Error()}
		}
		if a.DefaultErrors = told(errs); len(errs) > 0 {
			return a
		}
		if err := defaulting.PruneDefaults(structural); err != nil {
			return answer{Problem: err.Error()}
		}
	}
	for _, text := range q.Objects {
		a.Objects = append(a.Objects, passed(text, structural, q.PreserveUnknownFields))
	}
	return a
}

func told(errs field.ErrorList) []fieldError {
	list := []fieldError{}
	for _, e := range errs {
		list = append(list, fieldError{strings.ReplaceAll(string(e.Type), "FieldValue", ""), e.Field, e.ErrorBody()})
	}
	return list
}

// path puts a path together again that was printed; it has no map keys.
func path(printed string) *field.Path {
	var p *field.Path
	for _, name := range strings.Split(printed, ".") {
		if p == nil {
			p = field.NewPath(name)
		} else {
			p = p.Child(name)
		}
	}
	return p
}

// passed decodes one object as the handler of custom resources does, and applies the defaults.
func passed(text string, s *schema.Structural, preserve bool) decoded {
	object := map[string]interface{}{}
	if err := utiljson.Unmarshal([]byte(text), &object); err != nil {
		return decoded{Problem: err.Error()}
	}
	paths, err := coerced(&unstructured.Unstructured{Object: object}, s, preserve)
	if err != nil {
		return decoded{Problem: err.Error()}
	}
	defaulting.Default(object, s)
	return decoded{Paths: paths, Value: object}
}

// coerced calls the passes in the order of unstructuredSchemaCoercer.apply, which is not exported.
func coerced(u *unstructured.Unstructured, s *schema.Structural, preserve bool) ([]string, error) {
	kind, foundKind, err := unstructured.NestedString(u.Object, "kind")
	if err != nil {
		return nil, err
	}
	apiVersion, foundAPIVersion, err := unstructured.NestedString(u.Object, "apiVersion")
	if err != nil {
		return nil, err
	}
	meta, foundMeta, paths, err := objectmeta.GetObjectMetaWithOptions(u.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, err
	}
	if !preserve {
		tracked := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
		paths = append(paths, pruning.PruneWithOptions(u.Object, s, true, tracked)...)
		defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, s)
	}
	problem, embedded := objectmeta.CoerceWithOptions(nil, u.Object, s, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if problem != nil {
		return nil, problem
	}
	if foundKind {
		u.SetKind(kind)
	}
	if foundAPIVersion {
		u.SetAPIVersion(apiVersion)
	}
	if foundMeta {
		if err := objectmeta.SetObjectMeta(u.Object, meta); err != nil {
			return nil, err
		}
		// Older versions write a null here, which a create replaces with the time.
		if meta.CreationTimestamp.IsZero() {
			unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
		}
	}
	return append(paths, embedded...), nil
}

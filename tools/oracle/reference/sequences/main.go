// Command sequences says how long the reference takes for requests one after another, in one process and without a server.
//
// It reads one JSON object a line and answers each with one line: seconds of processor time for one call of each step, the mean of the
// best round; the garbage collector counts.
//
//	{"crd": a v1 CRD, "version": "v1", "namespace": "default", "rounds": 15, "calls": 50, "steps":
//	  [{"verb": "create", "apply", "json-patch" or "merge-patch", "manager": "a", "force": false, "body": …}]}
//	{"problem": "", "seconds": […], "stored": what is stored after the last step, with its managed fields}
//
// Each step finds what the steps before it have stored. It is read from storage, changed, owned, validated and made ready to be stored as
// the handler of custom resources does it. Decoding the JSON of what is created or applied is left out, and so is that of storage; an
// object that is patched is encoded and decoded, as that is how patches work.
package main

import (
	"encoding/json"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"crd-oracle/reference/measuring"
)

type question struct {
	CRD       apiextensionsv1.CustomResourceDefinition `json:"crd"`
	Version   string                                   `json:"version"`
	Namespace string                                   `json:"namespace"`
	Steps     []step                                   `json:"steps"`
	Rounds    int                                      `json:"rounds"`
	Calls     int                                      `json:"calls"`
}

type step struct {
	Verb    string          `json:"verb"`
	Manager string          `json:"manager"`
	Force   bool            `json:"force"`
	Body    json.RawMessage `json:"body"`
}

type answer struct {
	Problem string         `json:"problem"`
	Seconds []float64      `json:"seconds"`
	Stored  map[string]any `json:"stored"`
}

func main() {
	measuring.Answer(func(line []byte) any {
		a := answer{Seconds: []float64{}}
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
	s, err := serve(&q.CRD, q.Version, q.Namespace)
	if err != nil {
		return err
	}
	var stored *unstructured.Unstructured
	for _, step := range q.Steps {
		took, next, err := s.measure(step, stored, q)
		if err != nil {
			return err
		}
		a.Seconds = append(a.Seconds, took)
		stored = next
	}
	if stored != nil {
		a.Stored = stored.Object
	}
	return nil
}

func (s *server) measure(of step, stored *unstructured.Unstructured, q question) (float64, *unstructured.Unstructured, error) {
	body := &unstructured.Unstructured{}
	if of.Verb == "create" || of.Verb == "apply" {
		if err := utiljson.Unmarshal(of.Body, &body.Object); err != nil {
			return 0, nil, err
		}
	}
	var next *unstructured.Unstructured
	var failed error
	var bodies, olds []*unstructured.Unstructured
	took := measuring.Best(q.Rounds, q.Calls,
		func() { bodies, olds = measuring.Copied(body, q.Calls), measuring.Copied(stored, q.Calls) },
		func(i int) {
			made, err := s.answer(of, bodies[i], olds[i])
			if err != nil {
				failed = err
			}
			next = made
		})
	if failed != nil {
		return 0, nil, failed
	}
	return took, asStored(next), nil
}

// asStored returns an object as a later request finds it: written long ago, so that times count, and numbered.
func asStored(u *unstructured.Unstructured) *unstructured.Unstructured {
	stored := u.DeepCopy()
	stored.SetResourceVersion("1")
	entries := stored.GetManagedFields()
	ago := metav1.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range entries {
		if entries[i].Time != nil { // an apply that only shares what is there has none
			entries[i].Time = &ago
		}
	}
	stored.SetManagedFields(entries)
	return stored
}

package main

import (
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
	"k8s.io/apiserver/pkg/registry/rest"
	kjson "sigs.k8s.io/json"
)

// operation is one of a JSON Patch, as the handler of patches knows it.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

// answer returns what is stored after a request; body and old are its own.
func (s *server) answer(of step, body, old *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if old == nil {
		return s.created(of, body)
	}
	if err := s.decoded(old, true); err != nil {
		return nil, err
	}
	made, err := s.changed(of, body, old)
	if err != nil {
		return nil, err
	}
	if err := rest.BeforeUpdate(s.strategy, s.ctx, made, old); err != nil {
		return nil, err
	}
	kept, err := fieldmanager.IgnoreManagedFieldsTimestampsTransformer(s.ctx, made, old)
	if err != nil {
		return nil, err
	}
	return kept.(*unstructured.Unstructured), nil
}

func (s *server) created(of step, body *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	empty, err := creator{}.New(s.kind)
	if err != nil {
		return nil, err
	}
	made := runtime.Object(body)
	switch of.Verb {
	case "create":
		if err := s.decoded(body, false); err != nil {
			return nil, err
		}
		made = s.manager.UpdateNoErrors(empty, body, of.Manager)
	case "apply":
		if made, err = s.manager.Apply(empty, body, of.Manager, of.Force); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("nothing is there for a %s", of.Verb)
	}
	u := made.(*unstructured.Unstructured)
	rest.WipeObjectMetaSystemFields(u)
	rest.FillObjectMetaSystemFields(u)
	return u, rest.BeforeCreate(s.strategy, s.ctx, u)
}

// changed returns what comes of an apply or a patch.
func (s *server) changed(of step, body, old *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if of.Verb == "apply" {
		made, err := s.manager.Apply(old, body, of.Manager, of.Force)
		if err != nil {
			return nil, err
		}
		return made.(*unstructured.Unstructured), nil
	}
	encoded, err := s.encoded(old)
	if err != nil {
		return nil, err
	}
	patched, err := patch(of, encoded)
	if err != nil {
		return nil, err
	}
	made := &unstructured.Unstructured{}
	if _, _, err := s.serializer.Decode(patched, nil, made); err != nil {
		return nil, err
	}
	if err := s.decoded(made, false); err != nil {
		return nil, err
	}
	return s.manager.UpdateNoErrors(old, made, of.Manager).(*unstructured.Unstructured), nil
}

func (s *server) encoded(old *unstructured.Unstructured) ([]byte, error) {
	converted, err := s.converter.ConvertToVersion(old, s.kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	return runtime.Encode(s.serializer, converted)
}

func patch(of step, encoded []byte) ([]byte, error) {
	switch of.Verb {
	case "json-patch":
		checked := []operation{}
		if _, err := kjson.UnmarshalStrict(of.Body, &checked); err != nil {
			return nil, err
		}
		operations, err := jsonpatch.DecodePatch(of.Body)
		if err != nil {
			return nil, err
		}
		return operations.Apply(encoded)
	case "merge-patch":
		checked := map[string]any{}
		if _, err := kjson.UnmarshalStrict(of.Body, &checked); err != nil {
			return nil, err
		}
		return jsonpatch.MergePatch(encoded, of.Body)
	}
	return nil, fmt.Errorf("nothing knows how to %s", of.Verb)
}

//go:build preview

package main

import (
	"encoding/json"
	"errors"

	"github.com/google/cel-go/common/types/ref"

	apiservercel "k8s.io/apiserver/pkg/cel"
)

// A version whose apiextensions-apiserver cannot be had: expressions have no schema.
type structuralSchema struct{}

func readSchema(raw json.RawMessage) (*structuralSchema, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	return nil, errors.New("a preview has no schemas")
}

func declare(*structuralSchema, bool) *apiservercel.DeclType {
	return nil
}

func toValue(interface{}, *structuralSchema) ref.Val {
	return nil
}

func validated(*structuralSchema, question, interface{}, interface{}) answer {
	return answer{Problem: "a preview has no rules of schemas"}
}

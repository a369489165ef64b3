//go:build !preview

package main

import (
	"context"
	"encoding/json"

	"github.com/google/cel-go/common/types/ref"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

type structuralSchema = schema.Structural

func readSchema(raw json.RawMessage) (*structuralSchema, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(raw, props); err != nil {
		return nil, err
	}
	internal := apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, &internal, nil); err != nil {
		return nil, err
	}
	return schema.NewStructural(&internal)
}

func declare(structural *structuralSchema, root bool) *apiservercel.DeclType {
	return model.SchemaDeclType(structural, root)
}

func toValue(v interface{}, structural *structuralSchema) ref.Val {
	return schemacel.UnstructuredToVal(v, structural)
}

func validated(structural *structuralSchema, q question, self, oldSelf interface{}) answer {
	validator := schemacel.NewValidator(structural, q.Root, q.Limit)
	errs, left := validator.Validate(context.Background(), field.NewPath("self"), structural, self, oldSelf, q.Budget)
	result := answer{Budget: &left}
	for _, err := range errs {
		result.Errors = append(result.Errors, fieldError{string(err.Type), err.Field, err.ErrorBody()})
	}
	return result
}

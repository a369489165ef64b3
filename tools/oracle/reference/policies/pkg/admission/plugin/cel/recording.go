package cel

import (
	"context"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/recording"
	"k8s.io/apiserver/pkg/cel/environment"
)

// declared has the facts of compiled expressions by accessor; stored has the variables of a composition in their order.
var declared, stored sync.Map

func (c compiler) CompileCELExpression(expressionAccessor ExpressionAccessor, options OptionalVariableDeclarations, envType environment.Type) CompilationResult {
	result := c.unrecordedCompileCELExpression(expressionAccessor, options, envType)
	types := []string{}
	for _, returnType := range expressionAccessor.ReturnTypes() {
		types = append(types, returnType.String())
	}
	fact := recording.Fact{
		"expression": expressionAccessor.GetExpression(), "types": types, "params": options.HasParams,
		"authorizer": options.HasAuthorizer, "patches": options.HasPatchTypes,
	}
	declared.Store(expressionAccessor, recording.Fact{
		"expression": fact["expression"], "types": types, "params": options.HasParams,
		"authorizer": options.HasAuthorizer, "new": envType == environment.NewExpressions,
	})
	if result.Error != nil {
		fact["error"] = result.Error.Detail
	} else {
		fact["output"] = result.OutputType.String()
	}
	recording.Write("compile", fact)
	return result
}

// CompileAndStoreVariable keeps the order of variables.
func (c *CompositedCompiler) CompileAndStoreVariable(variable NamedExpressionAccessor, options OptionalVariableDeclarations, mode environment.Type) CompilationResult {
	variables := []any{}
	if earlier, ok := stored.Load(c.state); ok {
		variables = earlier.([]any)
	}
	fact := recording.Fact{"name": variable.GetName(), "expression": variable.GetExpression()}
	stored.Store(c.state, append(variables, fact))
	return c.unrecordedCompileAndStoreVariable(variable, options, mode)
}

// VariablesOf describes the variables of a context.
func VariablesOf(ctx context.Context) any {
	composition, ok := ctx.(*compositionContext)
	if !ok {
		return nil
	}
	if variables, ok := stored.Load(composition.state); ok {
		return variables
	}
	return []any{}
}

// Declared describes a compiled expression.
func Declared(accessor ExpressionAccessor) any {
	fact, _ := declared.Load(accessor)
	return fact
}

// Declared describes the expression of a mutation.
func (p *mutatingEvaluator) Declared() any {
	return Declared(p.compilationResult.ExpressionAccessor)
}

// Declared describes the expression of a mutation, with the variables of its policy.
func (p *CompositedEvaluator) Declared() any {
	return p.MutatingEvaluator.(*mutatingEvaluator).Declared()
}

// Variables describes the variables of the policy.
func (p *CompositedEvaluator) Variables() any {
	variables, _ := stored.Load(p.state)
	return variables
}

func (c *condition) ForInput(ctx context.Context, versionedAttr *admission.VersionedAttributes, request *admissionv1.AdmissionRequest, inputs OptionalVariableBindings, namespace *corev1.Namespace, budget int64) ([]EvaluationResult, int64, error) {
	authorizer := recording.Wrap(inputs.Authorizer)
	if authorizer != nil {
		inputs.Authorizer = authorizer
	}
	expressions := []any{}
	for _, compiled := range c.compilationResults {
		if compiled.ExpressionAccessor == nil {
			expressions = append(expressions, nil)
			continue
		}
		expressions = append(expressions, Declared(compiled.ExpressionAccessor))
	}
	fact := recording.Fact{"expressions": expressions, "request": recording.Versioned(versionedAttr), "budget": budget}
	fact.Set("variables", VariablesOf(ctx))
	fact.Set("param", inputs.VersionedParams)
	fact.Set("namespace", recording.Namespace(namespace))
	results, remaining, err := c.unrecordedForInput(ctx, versionedAttr, request, inputs, namespace, budget)
	if authorizer != nil {
		fact["answers"] = authorizer.Answers
	}
	fact.SetError(err)
	if err == nil {
		outcomes := []any{}
		for _, result := range results {
			outcomes = append(outcomes, recording.Result(result.EvalResult, result.Error))
		}
		fact["results"], fact["remaining"] = outcomes, remaining
	}
	recording.Write("evaluate", fact)
	return results, remaining, err
}

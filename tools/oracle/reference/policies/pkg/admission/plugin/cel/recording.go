package cel

import (
	"encoding/json"
	"os"
	"sync"

	"k8s.io/apiserver/pkg/cel/environment"
)

var lock sync.Mutex

// record appends a fact to the file of the recorder.
func record(fact map[string]any) {
	lock.Lock()
	defer lock.Unlock()
	file, err := os.OpenFile(os.Getenv("RECORDING"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	encoder := json.NewEncoder(file)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(fact); err != nil {
		panic(err)
	}
}

func (c compiler) CompileCELExpression(expressionAccessor ExpressionAccessor, options OptionalVariableDeclarations, envType environment.Type) CompilationResult {
	result := c.unrecordedCompileCELExpression(expressionAccessor, options, envType)
	types := []string{}
	for _, returnType := range expressionAccessor.ReturnTypes() {
		types = append(types, returnType.String())
	}
	fact := map[string]any{
		"expression": expressionAccessor.GetExpression(), "types": types, "params": options.HasParams,
		"authorizer": options.HasAuthorizer, "patches": options.HasPatchTypes,
	}
	if result.Error != nil {
		fact["error"] = result.Error.Detail
	} else {
		fact["output"] = result.OutputType.String()
	}
	record(fact)
	return result
}

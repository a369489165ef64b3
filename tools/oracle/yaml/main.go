// Command yaml reads documents as the API server and kubectl read them, for `python -m oracle fuzz yaml`.
//
// Standard input has one request a line: a letter and the document in base64. Y is a YAML body, J a JSON body, S a
// stream of either as kubectl takes it from a file. Standard output has one JSON answer a line.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"strconv"

	goyaml "go.yaml.in/yaml/v2"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

type answer struct {
	// Values are the decoded documents: one for a body, any number for a stream. Floats are wrapped, see tagged.
	Values []any  `json:"values"`
	Error  string `json:"error,omitempty"`
	// Strict is what the strict reading complains about.
	Strict []string `json:"strict,omitempty"`
	// Random is set when two keys of one map become the same JSON key, of which Go keeps one at random.
	Random bool `json:"random,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	encoder := json.NewEncoder(out)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			if err := encoder.Encode(answerTo(bytes.TrimSpace(line))); err != nil {
				panic(err)
			}
			if in.Buffered() == 0 {
				out.Flush()
			}
		}
		if err != nil {
			out.Flush()
			return
		}
	}
}

func answerTo(line []byte) (result answer) {
	document, err := base64.StdEncoding.DecodeString(string(line[1:]))
	if err != nil {
		return answer{Error: "request: " + err.Error()}
	}
	switch line[0] {
	case 'Y':
		return yamlBody(document)
	case 'J':
		return jsonBody(document)
	default:
		return stream(document)
	}
}

func yamlBody(document []byte) (result answer) {
	result.Random = random(document)
	converted, err := yaml.YAMLToJSON(document)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	var value any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(converted, &value); err != nil {
		result.Error = err.Error()
		return result
	}
	result.Values = []any{tagged(value)}
	if _, err := yaml.YAMLToJSONStrict(document); err != nil {
		var typeError *goyaml.TypeError
		if errors.As(err, &typeError) {
			result.Strict = typeError.Errors
		} else {
			result.Strict = []string{err.Error()}
		}
	}
	return result
}

func jsonBody(document []byte) (result answer) {
	var value any
	strict, err := kjson.UnmarshalStrict(document, &value)
	if err != nil {
		return answer{Error: err.Error()}
	}
	for _, one := range strict {
		result.Strict = append(result.Strict, one.Error())
	}
	result.Values = []any{tagged(value)}
	return result
}

func stream(text []byte) (result answer) {
	result.Values = []any{}
	result.Random = randomStream(text)
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err == io.EOF {
			return result
		} else if err != nil {
			return answer{Error: err.Error(), Random: result.Random}
		}
		raw = bytes.TrimSpace(raw)
		if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
			continue
		}
		var value any
		if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &value); err != nil {
			return answer{Error: err.Error()}
		}
		result.Values = append(result.Values, tagged(value))
	}
}

// tagged wraps every float64 as {"\x00float64": bits}, so that the answer keeps integers and floats apart.
func tagged(value any) any {
	switch value := value.(type) {
	case float64:
		return map[string]any{"\x00float64": strconv.FormatUint(math.Float64bits(value), 16)}
	case map[string]any:
		for key, item := range value {
			value[key] = tagged(item)
		}
	case []any:
		for index, item := range value {
			value[index] = tagged(item)
		}
	}
	return value
}

func random(document []byte) bool {
	var value any
	return goyaml.Unmarshal(document, &value) == nil && collides(value)
}

func randomStream(text []byte) bool {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := reader.Read()
		if err != nil {
			return false
		}
		if random(document) {
			return true
		}
	}
}

func collides(value any) bool {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			if collides(item) {
				return true
			}
		}
	case map[any]any:
		seen := map[string]bool{}
		for key, item := range value {
			if collides(item) {
				return true
			}
			one, err := yaml.YAMLToJSON([]byte("? " + keyText(key) + "\n: 0\n"))
			if err != nil || seen[string(one)] {
				return err == nil
			}
			seen[string(one)] = true
		}
	}
	return false
}

func keyText(key any) string {
	if text, ok := key.(string); ok {
		quoted, _ := json.Marshal(text)
		return string(quoted)
	}
	text, _ := goyaml.Marshal(key)
	return string(bytes.TrimSpace(text))
}

// Prints of which messages OpenAPI documents are made in protobuf, and how Go writes the documents that stand on its input, one a line.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

type field struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`
}

// message says what is in a message: all of its fields, or one of them.
type message struct {
	IsChoice bool    `json:"isChoice"`
	Fields   []field `json:"fields"`
}

// A document, and what Go writes of it; of one that it does not read, why.
type example struct {
	Version  string          `json:"version"`
	Document json.RawMessage `json:"document"`
	Bytes    []byte          `json:"bytes,omitempty"`
	Error    string          `json:"error,omitempty"`
}

var messages = map[string]message{}

func main() {
	visit(openapi_v2.File_openapiv2_OpenAPIv2_proto.Messages().ByName("Document"))
	visit(openapi_v3.File_openapiv3_OpenAPIv3_proto.Messages().ByName("Document"))
	examples := []example{}
	lines := bufio.NewReader(os.Stdin)
	for decoder := json.NewDecoder(lines); ; {
		var one example
		if err := decoder.Decode(&one); err != nil {
			break
		}
		examples = append(examples, written(one))
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"messages": messages, "examples": examples}); err != nil {
		panic(err)
	}
}

// written returns a document with what Go writes of it.
func written(one example) example {
	var found proto.Message
	var err error
	if one.Version == "v2" {
		found, err = openapi_v2.ParseDocument(one.Document)
	} else {
		found, err = openapi_v3.ParseDocument(one.Document)
	}
	if err == nil {
		one.Bytes, err = proto.Marshal(found)
	}
	if err != nil {
		one.Error = err.Error()
	}
	return one
}

// visit writes down the fields of a message, and those of the messages in it.
func visit(m protoreflect.MessageDescriptor) {
	if _, known := messages[named(m)]; known {
		return
	}
	messages[named(m)] = message{}
	found := message{IsChoice: m.Oneofs().Len() > 0}
	for i := 0; i < m.Fields().Len(); i++ {
		f := m.Fields().Get(i)
		found.Fields = append(found.Fields, field{int(f.Number()), nameOf(f), kindOf(f)})
	}
	messages[named(m)] = found
}

func named(m protoreflect.MessageDescriptor) string {
	return strings.TrimPrefix(string(m.FullName()), "openapi.")
}

// nameOf returns what a field is called in a document.
func nameOf(f protoreflect.FieldDescriptor) string {
	if f.Name() == "_ref" {
		return "$ref"
	}
	return f.JSONName()
}

// kindOf returns what stands in a field. Of what has names it is a map, though it is a list of pairs.
func kindOf(f protoreflect.FieldDescriptor) string {
	found := f.Kind().String()
	if f.Kind() == protoreflect.MessageKind {
		m := f.Message()
		if strings.HasPrefix(string(m.Name()), "Named") {
			return "map " + kindOf(m.Fields().ByName("value"))
		}
		if m.Name() != "Any" {
			visit(m)
		}
		found = "." + named(m)
	}
	if f.IsList() {
		return "[]" + found
	}
	return found
}

// Command celspec prints the standard tables of cel-spec, each test of the files that are named as one line of JSON:
//
//	{"file": "basic", "section": …, "test": {"name": …, "expr": …, "bindings": {…}, "value": {…}, …}}
//
// where "test" is a cel.expr.conformance.test.SimpleTest in protobuf's JSON.
package main

import (
	"encoding/json"
	"log"
	"os"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"

	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"
	"cel.dev/expr/conformance/test"
)

type entry struct {
	File    string          `json:"file"`
	Section string          `json:"section"`
	Test    json.RawMessage `json:"test"`
}

func main() {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		file := test.SimpleTestFile{}
		if err := prototext.Unmarshal(text, &file); err != nil {
			log.Fatalf("%s: %v", path, err)
		}
		for _, section := range file.Section {
			for _, one := range section.Test {
				encoded, err := protojson.Marshal(one)
				if err != nil {
					log.Fatalf("%s, %s: %v", path, one.Name, err)
				}
				if err := encoder.Encode(entry{file.Name, section.Name, encoded}); err != nil {
					log.Fatal(err)
				}
			}
		}
	}
}

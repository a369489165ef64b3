// Command patterns compiles and matches patterns with the regexp of the Go that builds it.
//
// It reads one JSON object a line and answers each with one line:
//
//	{"pattern": "^a+$", "texts": ["aa", "b"]}
//	{"problem": "why it does not compile", "matches": [true, false]}
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"regexp"
)

type question struct {
	Pattern string   `json:"pattern"`
	Texts   []string `json:"texts"`
}

type answer struct {
	Problem string `json:"problem"`
	Matches []bool `json:"matches"`
}

func main() {
	questions, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var asked question
		if err := questions.Decode(&asked); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		said := answer{Matches: []bool{}}
		if compiled, err := regexp.Compile(asked.Pattern); err != nil {
			said.Problem = err.Error()
		} else {
			for _, text := range asked.Texts {
				said.Matches = append(said.Matches, compiled.MatchString(text))
			}
		}
		if err := answers.Encode(said); err != nil {
			log.Fatal(err)
		}
	}
}

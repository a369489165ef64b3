// Package crdtest runs pytest-crd on the CustomResourceDefinitions of a repository, and makes each of its verdicts a subtest.
//
//	func TestCRDs(t *testing.T) { crdtest.Run(t, "..") }
//
// It runs pytest-crd where that is installed, else by uvx, which needs uv and a Python of 3.11 or newer. Where neither is there, the
// test is skipped; with CI=true it fails.
package crdtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The version of the file of verdicts that this package reads.
const version = 1

// Option changes how the command is run.
type Option func(*options)

type options struct {
	command   []string
	arguments []string
}

// Arguments hands on arguments of `pytest-crd test`: paths, settings, and behind "--" options of pytest.
func Arguments(arguments ...string) Option {
	return func(o *options) { o.arguments = append(o.arguments, arguments...) }
}

// Command names the command and its first arguments, such as "uvx", "pytest-crd==0.1.0".
func Command(words ...string) Option {
	return func(o *options) { o.command = words }
}

// Run runs `pytest-crd test` in a folder, and makes each verdict a subtest, whose failure says file and line.
func Run(t *testing.T, folder string, others ...Option) {
	t.Helper()
	var chosen options
	for _, change := range others {
		change(&chosen)
	}
	if len(chosen.command) == 0 {
		found, err := find(exec.LookPath)
		if err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
		chosen.command = found
	}
	file := filepath.Join(t.TempDir(), "verdicts.json")
	words := append(append([]string{}, chosen.command...), "test", "--crd-json="+file)
	command := exec.Command(words[0], append(words[1:], chosen.arguments...)...)
	command.Dir = folder
	output, failed := command.CombinedOutput()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%s has written no verdicts: %v\n%s", strings.Join(words, " "), errors.Join(failed, err), output)
	}
	told, err := read(text)
	if err != nil {
		t.Fatalf("the verdicts of %s: %v", words[0], err)
	}
	held := true
	for _, one := range told.Verdicts {
		held = t.Run(one.ID, func(t *testing.T) { one.tell(t) }) && held
	}
	if !told.Complete {
		t.Errorf("not all was judged: %s\n%s", told.Problem, output)
	} else if failed != nil && held {
		t.Errorf("%s: %v\n%s", strings.Join(words, " "), failed, output)
	} else if len(told.Verdicts) == 0 {
		t.Errorf("there is nothing to judge\n%s", output)
	}
}

// find returns the command: what is installed, else what runs it from the package index.
func find(look func(string) (string, error)) ([]string, error) {
	if path, err := look("pytest-crd"); err == nil {
		return []string{path}, nil
	}
	if path, err := look("uvx"); err == nil {
		return []string{path, "pytest-crd"}, nil
	}
	return nil, errors.New("neither pytest-crd nor uvx is on the PATH: pip install pytest-crd, or install uv")
}

type verdicts struct {
	Version  int       `json:"version"`
	Complete bool      `json:"complete"`
	Problem  string    `json:"problem"`
	Verdicts []verdict `json:"verdicts"`
}

type verdict struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Summary string `json:"summary"`
	Text    string `json:"text"`
}

func read(text []byte) (verdicts, error) {
	var told verdicts
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&told); err != nil {
		return told, err
	}
	if told.Version != version {
		return told, fmt.Errorf("they have version %d, and this package reads %d", told.Version, version)
	}
	return told, nil
}

// tell fails, skips or passes a subtest as the verdict says; what it does not know fails.
func (v verdict) tell(t *testing.T) {
	switch v.Outcome {
	case "passed":
	case "skipped", "xfailed":
		t.Skipf("%s: %s", v.place(), v.Summary)
	case "xpassed":
		t.Logf("%s: passed, though it is expected to fail", v.place())
	default:
		t.Errorf("%s: %s", v.place(), v.words())
	}
}

func (v verdict) place() string {
	if v.Line == 0 {
		return v.Path
	}
	return fmt.Sprintf("%s:%d", v.Path, v.Line)
}

func (v verdict) words() string {
	if v.Text == "" {
		return v.Outcome + ": " + v.Summary
	}
	return v.Text
}

// Package server starts a server of pytest-crd for a test, by the command whose words PYTEST_CRD_SERVER has as JSON.
package server

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"k8s.io/client-go/rest"
)

const command = "PYTEST_CRD_SERVER"

// Start starts a server, and returns its client configuration and a function that ends it.
func Start() (*rest.Config, func(), error) {
	var words []string
	if err := json.Unmarshal([]byte(os.Getenv(command)), &words); err != nil {
		return nil, nil, err
	}
	process := exec.Command(words[0], words[1:]...)
	process.Stderr = os.Stderr
	input, err := process.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	output, err := process.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := process.Start(); err != nil {
		return nil, nil, err
	}
	end := func() {
		input.Close()
		process.Wait()
	}
	var at struct{ URL, Token, Authority string }
	if err := json.NewDecoder(output).Decode(&at); err != nil {
		end()
		return nil, nil, fmt.Errorf("no server has begun: %w", err)
	}
	config := &rest.Config{Host: at.URL, BearerToken: at.Token, QPS: -1}
	config.CAData = []byte(at.Authority)
	return config, end, nil
}

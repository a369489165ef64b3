//go:build !before_1_22

package main

import (
	servertesting "k8s.io/apiextensions-apiserver/pkg/cmd/server/testing"
	"k8s.io/client-go/rest"
)

// start runs an API server with the given flags and returns how to reach it.
func start(flags []string) (*rest.Config, error) {
	server, err := servertesting.StartTestServer(logger{}, nil, flags, nil)
	return server.ClientConfig, err
}

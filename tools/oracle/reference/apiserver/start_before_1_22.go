//go:build before_1_22

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"reflect"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	extensionsapiserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/kube-openapi/pkg/common"
)

// start runs an API server with the given flags and returns how to reach it. The test server of 1.21 publishes no OpenAPI, as a
// kube-apiserver does and the test servers of later versions do.
func start(flags []string) (*rest.Config, error) {
	o := options.NewCustomResourceDefinitionsServerOptions(os.Stdout, os.Stderr)
	set := pflag.NewFlagSet("server", pflag.ExitOnError)
	o.AddFlags(set)
	certificates, err := os.MkdirTemp("", "crd-oracle")
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := listener.Addr().(*net.TCPAddr)
	secure := o.RecommendedOptions.SecureServing
	secure.Listener, secure.BindPort, secure.ExternalAddress = listener, address.Port, address.IP
	secure.ServerCert.CertDirectory = certificates
	o.APIEnablement.RuntimeConfig.Set("api/all=true")
	if err := set.Parse(flags); err != nil {
		return nil, err
	}
	if err := o.Complete(); err != nil {
		return nil, err
	}
	config, err := o.Config()
	if err != nil {
		return nil, err
	}
	namer := openapi.NewDefinitionNamer(extensionsapiserver.Scheme)
	config.GenericConfig.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	server, err := config.Complete().New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, err
	}
	failed := make(chan error)
	go func() { failed <- server.GenericAPIServer.PrepareRun().Run(make(chan struct{})) }()
	return server.GenericAPIServer.LoopbackClientConfig, healthy(server.GenericAPIServer.LoopbackClientConfig, failed)
}

// definitions returns those of all types that are served. In 1.21 those of CRDs themselves are in kube-apiserver alone, where they are
// generated of the Go types: here they are made of the same types while the server starts.
func definitions(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	found := generatedopenapi.GetOpenAPIDefinitions(ref)
	for _, served := range []interface{}{
		v1.CustomResourceDefinition{}, v1.CustomResourceDefinitionList{},
		v1beta1.CustomResourceDefinition{}, v1beta1.CustomResourceDefinitionList{},
	} {
		define(reflect.TypeOf(served), ref, found)
	}
	return found
}

// healthy waits for the server to say that it is well.
func healthy(config *rest.Config, failed <-chan error) error {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	for range [600]int{} {
		select {
		case err := <-failed:
			return err
		case <-time.After(100 * time.Millisecond):
		}
		if _, err := client.RESTClient().Get().AbsPath("/healthz").DoRaw(context.Background()); err == nil {
			return nil
		}
	}
	return fmt.Errorf("not healthy within a minute")
}

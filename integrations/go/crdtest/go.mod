module github.com/pytest-crd/pytest-crd/integrations/go/crdtest

go 1.21

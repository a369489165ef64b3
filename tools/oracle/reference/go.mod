module crd-oracle/reference

go 1.21

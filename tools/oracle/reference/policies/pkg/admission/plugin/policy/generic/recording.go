package generic

import (
	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission/recording"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
)

func CollectParams(
	paramKind *v1.ParamKind,
	paramInformer informers.GenericInformer,
	paramScope meta.RESTScope,
	paramRef *v1.ParamRef,
	namespace string,
	dynamicClient dynamic.Interface,
	restMapper meta.RESTMapper,
) ([]runtime.Object, error) {
	params, err := unrecordedCollectParams(paramKind, paramInformer, paramScope, paramRef, namespace, dynamicClient, restMapper)
	fact := recording.Fact{"namespace": namespace}
	fact.Set("kind", paramKind)
	fact.Set("reference", paramRef)
	if paramScope != nil {
		fact["scope"] = paramScope.Name()
	}
	if paramInformer != nil {
		objects, listErr := paramInformer.Lister().List(labels.Everything())
		if listErr != nil {
			panic(listErr)
		}
		fact["objects"] = objects
	}
	if err == nil {
		fact["params"] = params
	}
	fact.SetError(err)
	recording.Write("params", fact)
	return params, err
}

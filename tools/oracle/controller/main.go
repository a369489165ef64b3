// An operator made with controller-runtime, with what it is to do: a ConfigMap for each oven, a status, finalizers, a leader.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var gvk = schema.GroupVersionKind{Group: "kubectl.example.com", Version: "v1", Kind: "Oven"}

// reconciler has a ConfigMap made for each oven.
type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(gvk)
	if err := r.Get(ctx, req.NamespacedName, o); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !o.GetDeletionTimestamp().IsZero() {
		controllerutil.RemoveFinalizer(o, "kubectl.example.com/x")
		return ctrl.Result{}, r.Update(ctx, o)
	}
	if controllerutil.AddFinalizer(o, "kubectl.example.com/x") {
		return ctrl.Result{}, r.Update(ctx, o)
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: o.GetName(), Namespace: o.GetNamespace()}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, cm, func() error {
		heat, _, _ := unstructured.NestedInt64(o.Object, "spec", "heat")
		cm.Data = map[string]string{"heat": fmt.Sprint(heat)}
		return ctrl.SetControllerReference(o, cm, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	if phase, _, _ := unstructured.NestedString(o.Object, "status", "phase"); phase != "Warm" {
		p := client.MergeFrom(o.DeepCopy())
		_ = unstructured.SetNestedField(o.Object, "Warm", "status", "phase")
		return ctrl.Result{}, r.Status().Patch(ctx, o, p)
	}
	return ctrl.Result{}, nil
}

// wait waits until something has come about, and ends the program where that takes half a minute.
func wait(what string, done func() bool) {
	for i := 0; i < 300; i++ {
		if done() {
			say(what, true)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	say(what, false)
}

// say tells what has come about, and ends the program where it has not.
func say(what string, done bool) {
	if !done {
		fmt.Println("FAILED", what)
		os.Exit(1)
	}
	fmt.Println("ok", what)
}

// must ends the program with an error, if there is one.
func must(err error) {
	if err != nil {
		fmt.Println("FAILED", err)
		os.Exit(1)
	}
}

func main() {
	ctx, cancel := context.WithTimeout(ctrl.SetupSignalHandler(), 60*time.Second)
	defer cancel()
	log.SetLogger(zap.New())
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{LeaderElection: true, LeaderElectionID: "ovens", LeaderElectionNamespace: "default", Metrics: metricsserver.Options{BindAddress: "0"}})
	must(err)
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(gvk)
	must(ctrl.NewControllerManagedBy(mgr).For(o).Owns(&corev1.ConfigMap{}).Complete(&reconciler{mgr.GetClient()}))
	go func() { must(mgr.Start(ctx)) }()
	visit(ctx)
}

// visit does what a person would do, and waits for what the operator makes of it.
func visit(ctx context.Context) {
	c, err := client.New(ctrl.GetConfigOrDie(), client.Options{})
	must(err)
	for i := 0; i < 20; i++ {
		oven := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"heat": int64(100 + i)}}}
		oven.SetGroupVersionKind(gvk)
		oven.SetName(fmt.Sprintf("o%d", i))
		oven.SetNamespace("default")
		must(c.Create(ctx, oven))
	}
	define(ctx)
	wait("all are warm, with a map each", func() bool {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk)
		must(c.List(ctx, list, client.InNamespace("default")))
		n := 0
		for _, one := range list.Items {
			if phase, _, _ := unstructured.NestedString(one.Object, "status", "phase"); phase == "Warm" {
				n++
			}
		}
		maps := &corev1.ConfigMapList{}
		must(c.List(ctx, maps, client.InNamespace("default")))
		return n == 20 && len(maps.Items) >= 20
	})
	must(c.Delete(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "o3", Namespace: "default"}}))
	wait("a map comes back", func() bool {
		return c.Get(ctx, types.NamespacedName{Namespace: "default", Name: "o3"}, &corev1.ConfigMap{}) == nil
	})
	first := &unstructured.Unstructured{}
	first.SetGroupVersionKind(gvk)
	first.SetName("o1")
	first.SetNamespace("default")
	must(c.Patch(ctx, first, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"heat":7}}`))))
	wait("a change is followed", func() bool {
		cm := &corev1.ConfigMap{}
		must(c.Get(ctx, types.NamespacedName{Namespace: "default", Name: "o1"}, cm))
		return cm.Data["heat"] == "7"
	})
	must(c.DeleteAllOf(ctx, first, client.InNamespace("default")))
	wait("all are gone, finalizers removed", func() bool {
		err := c.Get(ctx, types.NamespacedName{Namespace: "default", Name: "o1"}, first)
		return apierrors.IsNotFound(err)
	})
}

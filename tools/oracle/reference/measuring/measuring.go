// Package measuring has what programs share that say how long the reference takes: their questions, and how often it is asked.
package measuring

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"os"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Answer writes a line with the answer to each line of the input, until that ends.
func Answer(answered func(line []byte) any) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(answered(line)); err != nil {
			log.Fatal(err)
		}
	}
}

// Best returns the mean time of a call in the best of several rounds; what prepare does before each of them is not measured.
func Best(rounds, calls int, prepare func(), call func(i int)) float64 {
	least := time.Hour
	for range rounds {
		prepare()
		start := used()
		for i := range calls {
			call(i)
		}
		least = min(least, used()-start)
	}
	return least.Seconds() / float64(calls)
}

// used returns the processor time of the process.
func used() time.Duration {
	usage := syscall.Rusage{}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Copied returns copies of an object, or as many times nil where there is none.
func Copied(object *unstructured.Unstructured, count int) []*unstructured.Unstructured {
	copies := make([]*unstructured.Unstructured, count)
	for i := range copies {
		if object != nil {
			copies[i] = object.DeepCopy()
		}
	}
	return copies
}

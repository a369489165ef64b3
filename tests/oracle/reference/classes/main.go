// Command classes prints what pytest_crd/engine/golang/unicodeclasses.json holds: the Unicode of the Go that builds it.
//
//	go run ./classes > ../../../pytest_crd/engine/golang/unicodeclasses.json
//
// A class is the lengths of the runs of code points outside and inside of it, alternately, in base 36. Folding is the runs of
// first,last,step,distance, in base 36: each of these code points is followed, among those that differ by case only, by the one at
// that distance; they go round in a circle.
package main

import (
	"encoding/json"
	"log"
	"os"
	"strconv"
	"strings"
	"unicode"
)

func main() {
	categories, scripts := map[string]string{}, map[string]string{}
	for name, table := range unicode.Categories {
		if len(name) == 2 && name != "LC" && name != "Cn" { // the others follow from these
			categories[name] = steps(table)
		}
	}
	for name, table := range unicode.Scripts {
		scripts[name] = steps(table)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	content := map[string]any{
		"unicode":    unicode.Version,
		"categories": categories,
		"scripts":    scripts,
		"aliases":    unicode.CategoryAliases,
		"folding":    folding(),
	}
	if err := encoder.Encode(content); err != nil {
		log.Fatal(err)
	}
}

func steps(table *unicode.RangeTable) string {
	var lengths []string
	inside, since := false, rune(0)
	for char := rune(0); char <= unicode.MaxRune+1; char++ {
		if is := char <= unicode.MaxRune && unicode.Is(table, char); is != inside {
			lengths = append(lengths, strconv.FormatInt(int64(char-since), 36))
			inside, since = is, char
		}
	}
	return strings.Join(lengths, " ")
}

func folding() string {
	var runs [][4]rune
	for char := rune(0); char <= unicode.MaxRune; char++ {
		distance := unicode.SimpleFold(char) - char
		if distance == 0 {
			continue
		}
		if last := len(runs) - 1; last >= 0 && runs[last][3] == distance {
			run := &runs[last]
			if step := char - run[1]; step <= 2 && (run[2] == step || run[0] == run[1]) {
				run[1], run[2] = char, step
				continue
			}
		}
		runs = append(runs, [4]rune{char, char, 1, distance})
	}
	words := make([]string, 0, len(runs))
	for _, run := range runs {
		numbers := make([]string, 0, len(run))
		for _, number := range run {
			numbers = append(numbers, strconv.FormatInt(int64(number), 36))
		}
		words = append(words, strings.Join(numbers, ","))
	}
	return strings.Join(words, " ")
}

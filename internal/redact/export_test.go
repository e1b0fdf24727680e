package redact

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// For the tests of what is written, which import packages that import this one.
var (
	SameShape = sameShape
	Lost      = lost
)

// Secret is a made-up one: the text that it is found in, and the secret itself.
type Secret struct{ Text, Secret string }

// Secrets makes one of every shape.
func Secrets(seed uint64) (all []Secret) {
	made := fake{rand.New(rand.NewPCG(seed, 7))}.samples()
	for _, name := range slices.Sorted(maps.Keys(made)) {
		all = append(all, Secret{made[name].text, made[name].secret})
	}
	return all
}

package redact

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Exported for the tests of written files, which import packages that import this one.
var (
	SameShape = sameShape
	Lost      = lost
)

// Secret is an invented secret and the text that contains it.
type Secret struct{ Text, Secret string }

// Secrets returns one secret of every shape.
func Secrets(seed uint64) (all []Secret) {
	made := secretMaker{rand.New(rand.NewPCG(seed, 7))}.samples()
	for _, name := range slices.Sorted(maps.Keys(made)) {
		all = append(all, Secret{made[name].text, made[name].secret})
	}
	return all
}

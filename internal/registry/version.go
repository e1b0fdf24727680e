package registry

import (
	"cmp"
	"strconv"
	"strings"
)

// Newer reports whether a version is newer than another one, as semantic versions are compared.
func Newer(version, than string) bool { return compare(version, than) > 0 }

func compare(a, b string) int {
	a, _, _ = strings.Cut(a, "+") // build metadata does not count
	b, _, _ = strings.Cut(b, "+")
	a, aPre, aIsPre := strings.Cut(a, "-")
	b, bPre, bIsPre := strings.Cut(b, "-")
	if c := compareParts(a, b); c != 0 {
		return c
	}
	switch {
	case aIsPre && bIsPre:
		return compareParts(aPre, bPre)
	case aIsPre:
		return -1
	case bIsPre:
		return 1
	}
	return 0
}

// compareParts compares the parts between dots: numbers by their value, and before words.
func compareParts(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, xErr := strconv.ParseUint(as[i], 10, 64)
		y, yErr := strconv.ParseUint(bs[i], 10, 64)
		c := 0
		switch {
		case xErr == nil && yErr == nil:
			c = cmp.Compare(x, y)
		case xErr == nil:
			c = -1
		case yErr == nil:
			c = 1
		default:
			c = cmp.Compare(as[i], bs[i])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}

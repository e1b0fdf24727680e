package elicit

import (
	"slices"
	"strings"
	"unicode"
)

// secretParts and secretWords name what no form may ask for: the first anywhere in a name,
// the second as one of its words.
var (
	secretParts = []string{"password", "passwd", "passphrase", "apikey", "secretkey", "accesskey", "privatekey", "credential", "creditcard", "cardnumber"}
	secretWords = []string{"secret", "pwd", "token", "pin", "otp", "totp", "cvv", "cvc", "pass", "jwt", "ssn"}
)

// secret guesses from its format and names whether a field asks for a secret.
func secret(f Field) bool {
	if f.Kind != Text && f.Kind != Unknown {
		return false
	}
	if f.Format == "password" {
		return true
	}
	for _, name := range []string{f.Key, f.Title} {
		words := split(name)
		joined := strings.Join(words, "")
		if slices.ContainsFunc(secretParts, func(part string) bool { return strings.Contains(joined, part) }) ||
			slices.ContainsFunc(words, func(w string) bool { return slices.Contains(secretWords, w) }) {
			return true
		}
	}
	return false
}

// split returns the words of a name in lower case: "dbPassword", "db_password" and "DB
// password" are "db" and "password".
func split(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	prev := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(prev) {
			end()
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word = append(word, r)
		} else {
			end()
		}
		prev = r
	}
	end()
	return words
}

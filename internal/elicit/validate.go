package elicit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/internal/words"
)

var errRequired = errors.New("an answer is needed")

// Validate checks a value for the field: a string (Text, Select; the typed text for numbers
// and Unknown), int64, int, float64, bool, []string, json.RawMessage (Unknown), or nil for
// no answer. The error is one short sentence for the user.
func (f Field) Validate(v any) error {
	_, err := f.check(v)
	return err
}

// check returns the value for the answer, nil for an optional field without one.
func (f Field) check(v any) (any, error) {
	v, err := f.value(v)
	if err != nil {
		return nil, err
	}
	if v == nil {
		if f.Required {
			return nil, errRequired
		}
		return nil, nil
	}
	switch v := v.(type) {
	case string:
		if f.Kind == Text {
			err = f.checkText(v)
		} else if !f.has(v) {
			err = errors.New("not one of the choices")
		}
	case int64:
		err = f.checkRange(func(limit float64) int { return compareInt(v, limit) })
	case float64:
		err = f.checkRange(func(limit float64) int { return compareFloat(v, limit) })
	case []string:
		err = f.checkItems(v)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// value converts v to the type of the field's kind; nil if it is empty.
func (f Field) value(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	switch f.Kind {
	case Text, Select:
		if s, ok := v.(string); ok {
			// An empty string may be one of the choices; as text it is no answer.
			if s == "" && !(f.Kind == Select && f.has("")) {
				return nil, nil
			}
			return s, nil
		}
	case Number:
		return f.number64(v)
	case Integer:
		return f.integer(v)
	case Bool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
	case MultiSelect:
		if s, ok := v.([]string); ok {
			// An empty choice answers a required field only if the agent permits it.
			if len(s) == 0 && !(f.Required && f.MinItems != nil && *f.MinItems == 0) {
				return nil, nil
			}
			return s, nil
		}
	case Unknown:
		return rawJSON(v)
	}
	return nil, fmt.Errorf("not an answer for this field (%T)", v)
}

func (f Field) number64(v any) (any, error) {
	var x float64
	switch v := v.(type) {
	case float64:
		x = v
	case int64:
		x = float64(v)
	case int:
		x = float64(v)
	case string:
		s := strings.TrimSpace(v)
		if s == "" {
			return nil, nil
		}
		var err error
		if x, err = strconv.ParseFloat(s, 64); err != nil || !decimal(s) {
			return nil, errors.New("must be a number, such as 3 or 2.5")
		}
	default:
		return nil, errors.New("must be a number")
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, errors.New("must be a number")
	}
	return x, nil
}

func (f Field) integer(v any) (any, error) {
	whole := errors.New("must be a whole number")
	switch v := v.(type) {
	case int64:
		return v, nil
	case int:
		return int64(v), nil
	case float64:
		if v != math.Trunc(v) || v < -1<<53 || v > 1<<53 {
			return nil, whole
		}
		return int64(v), nil
	case string:
		s := strings.TrimSpace(v)
		if s == "" {
			return nil, nil
		}
		n, err := strconv.ParseInt(s, 10, 64)
		if errors.Is(err, strconv.ErrRange) {
			return nil, errors.New("beyond what can be sent")
		}
		if err != nil {
			return nil, whole
		}
		return n, nil
	}
	return nil, whole
}

// decimal rejects numbers of Go that people do not write: hexadecimal, underscores, names.
func decimal(s string) bool {
	return strings.Trim(s, "0123456789+-.eE") == ""
}

func rawJSON(v any) (any, error) {
	var raw []byte
	switch v := v.(type) {
	case json.RawMessage:
		raw = v
	case string:
		raw = []byte(v)
	default:
		return nil, errors.New("must be JSON")
	}
	if strings.TrimSpace(string(raw)) == "" {
		return nil, nil
	}
	if !json.Valid(raw) {
		return nil, errors.New(`must be JSON, such as "text", 3 or ["a"]`)
	}
	return json.RawMessage(raw), nil
}

func (f Field) checkText(s string) error {
	n := utf8.RuneCountInString(s)
	switch {
	case f.MinLength != nil && n < *f.MinLength:
		return fmt.Errorf("at least %s, now %d", words.Count(*f.MinLength, "character"), n)
	case f.MaxLength != nil && n > *f.MaxLength:
		return fmt.Errorf("at most %s, now %d", words.Count(*f.MaxLength, "character"), n)
	}
	if err := checkFormat(f.Format, s); err != nil {
		return err
	}
	if !f.matches(s) {
		return errors.New("not in the form that is asked for")
	}
	return nil
}

// checkRange calls compare with each limit.
func (f Field) checkRange(compare func(limit float64) int) error {
	switch {
	case f.Min != nil && compare(*f.Min) < 0:
		return fmt.Errorf("must be %s or more", strconv.FormatFloat(*f.Min, 'g', -1, 64))
	case f.Max != nil && compare(*f.Max) > 0:
		return fmt.Errorf("must be %s or less", strconv.FormatFloat(*f.Max, 'g', -1, 64))
	}
	return nil
}

func (f Field) checkItems(items []string) error {
	options := make(map[string]bool, len(f.Options))
	for _, o := range f.Options {
		options[o.Value] = true
	}
	for _, s := range items {
		if !options[s] {
			return errors.New("not one of the choices, or twice")
		}
		options[s] = false
	}
	switch n := len(items); {
	case f.MinItems != nil && n < *f.MinItems:
		return fmt.Errorf("choose at least %d, now %d", *f.MinItems, n)
	case f.MaxItems != nil && n > *f.MaxItems:
		return fmt.Errorf("choose at most %d, now %d", *f.MaxItems, n)
	}
	return nil
}

// compareInt compares without rounding n.
func compareInt(n int64, limit float64) int {
	switch {
	case limit >= 1<<63:
		return -1
	case limit < -1<<63:
		return 1
	}
	whole := int64(math.Floor(limit))
	switch {
	case n < whole, n == whole && float64(whole) < limit:
		return -1
	case n > whole:
		return 1
	}
	return 0
}

func compareFloat(x, limit float64) int {
	switch {
	case x < limit:
		return -1
	case x > limit:
		return 1
	}
	return 0
}

// checkFormat checks the formats of the protocol loosely; others are not checked.
func checkFormat(format, s string) error {
	switch format {
	case FormatEmail:
		if !email(s) {
			return errors.New("must be an email address, such as ada@example.org")
		}
	case FormatURI:
		u, err := url.Parse(s)
		if err != nil || u.Scheme == "" || strings.ContainsFunc(s, unicode.IsSpace) {
			return errors.New("must be a whole address, such as https://example.org/x")
		}
	case FormatDate:
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return errors.New("must be a date, such as 2026-01-31")
		}
	case FormatDateTime:
		if _, err := time.Parse(time.RFC3339, strings.ToUpper(s)); err != nil {
			return errors.New("must be a date and time, such as 2026-01-31T09:30:00Z")
		}
	}
	return nil
}

func email(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return false
	}
	for label := range strings.SplitSeq(s[at+1:], ".") {
		if label == "" {
			return false
		}
	}
	return true
}

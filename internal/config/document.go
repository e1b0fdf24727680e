package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// place is a position in the file, both from 1. The zero place is unknown.
type place struct{ line, column int }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.column, q.column))
}

// problem is a mistake and its position.
type problem struct {
	at   place
	what string
}

// in returns the problem as an error of one line.
func (p problem) in(name string) error {
	name = oneLine(name)
	if p.at == (place{}) {
		return fmt.Errorf("%s: %s", name, oneLine(p.what))
	}
	return fmt.Errorf("%s:%d:%d: %s", name, p.at.line, p.at.column, oneLine(p.what))
}

// document holds the positions of the keys and values of a file.
type document struct {
	data   []byte
	lines  []int // offset of each line
	values map[string]place
	found  *problem // the first one
}

// shape is what is allowed under a key.
type shape struct {
	kind   string            // for messages
	keys   map[string]*shape // of a table with fixed keys
	anyKey *shape            // of a table with arbitrary keys
	leaf   unstable.Kind     // String, Bool or Array (of strings)
	also   unstable.Kind     // of a second kind of value; Invalid: there is none
}

// file is the shape of the file: that of Config.
var file = sync.OnceValue(func() *shape { return shapeOf(reflect.TypeFor[Config]()) })

// shapeOf returns what is allowed where a value of a type is read.
func shapeOf(t reflect.Type) *shape {
	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(t.Elem())
	case reflect.String:
		return &shape{kind: "a string", leaf: unstable.String}
	case reflect.Interface:
		return &shape{kind: "a string or false", leaf: unstable.String, also: unstable.Bool}
	case reflect.Bool:
		return &shape{kind: "true or false", leaf: unstable.Bool}
	case reflect.Slice:
		return &shape{kind: "an array of strings", leaf: unstable.Array}
	case reflect.Map:
		s := &shape{kind: "a table", anyKey: shapeOf(t.Elem())}
		switch s.anyKey.leaf {
		case unstable.String:
			s.kind = "a table of strings"
		case unstable.Array:
			s.kind = "a table of arrays of strings"
		}
		return s
	}
	s := &shape{kind: "a table", keys: map[string]*shape{}}
	for _, f := range reflect.VisibleFields(t) {
		if key := f.Tag.Get("toml"); key != "" {
			s.keys[key] = shapeOf(f.Type)
		}
	}
	return s
}

// scan walks through the file and checks every key and the type of every value. It stops at
// a syntax error, which decode will describe.
func scan(data []byte, file *shape) (*document, *problem) {
	d := &document{data: data, lines: []int{0}, values: map[string]place{}}
	for i, b := range data {
		if b == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	var parser unstable.Parser
	parser.Reset(data)
	var table []string
	in := file
	for d.found == nil && parser.NextExpression() {
		switch e := parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, in = d.descend(nil, file, e.Key())
			if in != nil && e.Kind == unstable.ArrayTable {
				d.mismatch(table, in, "an array of tables")
			} else if in != nil && in.leaf != unstable.Invalid {
				d.mismatch(table, in, "a table")
			}
		case unstable.KeyValue:
			d.keyValue(table, in, e)
		}
	}
	return d, d.found
}

func (d *document) keyValue(table []string, in *shape, e *unstable.Node) {
	path, want := d.descend(table, in, e.Key())
	if want == nil {
		return
	}
	value := e.Value()
	if value.Raw.Length > 0 {
		d.values[key(path)] = d.offset(int(value.Raw.Offset))
	}
	switch {
	case value.Kind == unstable.InlineTable && want.leaf == unstable.Invalid:
		for it := value.Children(); it.Next() && d.found == nil; {
			d.keyValue(path, want, it.Node())
		}
	case value.Kind != want.leaf && value.Kind != want.also || want.leaf == unstable.Invalid:
		d.mismatch(path, want, kindName(value.Kind))
	case value.Kind == unstable.Array:
		for it := value.Children(); it.Next() && d.found == nil; {
			if element := it.Node(); element.Kind != unstable.String {
				if element.Raw.Length > 0 {
					d.values[key(path)] = d.offset(int(element.Raw.Offset))
				}
				d.mismatch(path, want, "one with "+kindName(element.Kind))
			}
		}
	}
}

// descend follows a dotted key from a table. It returns the whole path and what is allowed
// there; nil after a problem.
func (d *document) descend(table []string, in *shape, it unstable.Iterator) ([]string, *shape) {
	path := slices.Clone(table)
	for it.Next() {
		part := it.Node()
		name := string(part.Data)
		at := d.offset(int(part.Raw.Offset))
		if in.leaf != unstable.Invalid {
			d.mismatch(path, in, "a table")
			return nil, nil
		}
		next := in.anyKey
		if next == nil {
			next = in.keys[name]
		}
		if next == nil {
			what := fmt.Sprintf("unknown key %s", show(name))
			if len(path) > 0 {
				what += " in " + dotted(path)
			}
			d.report(at, what+suggest(name, sortedKeys(in.keys)))
			return nil, nil
		}
		path, in = append(path, name), next
		if _, known := d.values[key(path)]; !known {
			d.values[key(path)] = at
		}
	}
	return path, in
}

func (d *document) mismatch(path []string, want *shape, got string) {
	d.report(d.place(path...), fmt.Sprintf("%s: want %s, not %s", dotted(path), want.kind, got))
}

func (d *document) report(at place, what string) {
	if d.found == nil {
		d.found = &problem{at, what}
	}
}

// place returns the position of a value, or of its key if that is all there is.
func (d *document) place(path ...string) place { return d.values[key(path)] }

func key(path []string) string { return strings.Join(path, "\x00") }

// offset returns the position of a byte offset.
func (d *document) offset(offset int) place {
	offset = min(offset, len(d.data))
	line, exact := slices.BinarySearch(d.lines, offset)
	if !exact {
		line--
	}
	return place{line + 1, utf8.RuneCount(d.data[d.lines[line]:offset]) + 1}
}

// decode fills a Config or a project. It reports syntax errors and duplicate keys; scan has checked the
// rest.
func (d *document) decode(c any) *problem {
	err := toml.NewDecoder(bytes.NewReader(d.data)).DisallowUnknownFields().Decode(c)
	if err == nil {
		return nil
	}
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		err = &strict.Errors[0]
	}
	p := &problem{what: strings.TrimPrefix(err.Error(), "toml: ")}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		p.what = strings.TrimPrefix(at.Error(), "toml: ")
		p.what = strings.TrimPrefix(p.what, "toml: ")
		line, column := at.Position()
		if line >= 1 && line <= len(d.lines) && column >= 1 {
			p.at = d.offset(d.lines[line-1] + column - 1)
		}
	}
	return p
}

func kindName(k unstable.Kind) string {
	switch k {
	case unstable.String:
		return "a string"
	case unstable.Bool:
		return "a boolean"
	case unstable.Integer:
		return "an integer"
	case unstable.Float:
		return "a float"
	case unstable.Array:
		return "an array"
	case unstable.InlineTable:
		return "a table"
	}
	return "a date or time"
}

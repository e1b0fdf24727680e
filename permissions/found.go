package permissions

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// foundFiles is a command that only reads the files that find finds.
type foundFiles struct {
	parts []part // find without the command, if it runs it, and the command, with the starting points for the files
	dirs  []string
	ends  []string // only names with these endings
	plain bool     // xargs splits names at blanks and quotes
}

// exec returns what find -exec does with the files it finds; nil if that is not known to be harmless.
func (p part) exec() *foundFiles {
	at := slices.Index(p.words, "-exec")
	if len(p.words) == 0 || p.words[0] != "find" || at < 0 || p.doubt != "" {
		return nil
	}
	finds, command := p, p.words[at+1:]
	finds.words = p.words[:at]
	finds.known = at
	last := len(command) - 1
	if last < 2 || command[last] != ";" && (command[last] != "+" || command[last-1] != "{}") {
		return nil
	}
	command = command[:last]
	if strings.Count(strings.Join(command, " "), "{}") != 1 {
		return nil
	}
	f := finds.finds()
	at = slices.Index(command, "{}")
	if f == nil || at < 0 {
		return nil
	}
	return f.readBy(p, slices.Concat(command[:at], f.dirs, command[at+1:]), at, finds)
}

// given returns what xargs does with the files that find prints; nil as for exec.
func (p part) given(from part) *foundFiles {
	f := from.finds()
	if f == nil || p.doubt != "" || p.words[0] != "xargs" {
		return nil
	}
	f.plain = true
	for _, it := range read(p.words).items {
		switch {
		case it.class == classCmd:
			if f.plain == slices.Contains(from.words, "-print0") {
				return nil
			}
			command := slices.Clip(p.words[it.word:])
			return f.readBy(p, append(command, f.dirs...), len(command))
		case it.option == "-0" || it.option == "--null":
			f.plain = false
		case !slices.Contains([]string{"-r", "--no-run-if-empty", "-n", "--max-args", "-P", "--max-procs"}, it.option):
			return nil
		}
	}
	return nil
}

// finds returns where find looks; nil if it does more than print names.
func (p part) finds() *foundFiles {
	if len(p.words) == 0 || p.words[0] != "find" || p.doubt != "" {
		return nil
	}
	rd := read(p.words)
	var f foundFiles
	either := false
	for _, it := range rd.items {
		switch {
		case it.option == "" && it.class == classRead && !strings.HasPrefix(it.text, "-"):
			f.dirs = append(f.dirs, it.text)
		case it.class != classFlag && it.class != classText, it.option == "-printf", it.option == "-ls":
			return nil
		case slices.Contains([]string{"!", "-not", "-o", "-or", ","}, it.option):
			either = true
		case it.option == "-name" && it.class == classText && ending().MatchString(it.text):
			f.ends = append(f.ends, strings.ToLower(it.text[1:]))
		}
	}
	if either || len(f.ends) > 1 {
		f.ends = nil
	}
	if len(f.dirs) == 0 {
		f.dirs = []string{"."}
	}
	if !rd.known {
		return nil
	}
	return &f
}

// readBy completes f with a command that has the starting points at a place; it returns nil if the
// command may do more than read them.
func (f *foundFiles) readBy(p part, words []string, at int, before ...part) *foundFiles {
	rd := read(words)
	reads := 0
	for _, it := range rd.items {
		if it.word >= at && it.word < at+len(f.dirs) && it.class == classRead && it.option == "" {
			reads++
		}
	}
	if !rd.known || reads != len(f.dirs) {
		return nil
	}
	p.text, p.words, p.known = strings.Join(words, " "), words, len(words)
	f.parts = append(before, p)
	return f
}

// piped notes what the xargs of a pipe does with the files that find prints.
func (r *reader) piped(c *syntax.BinaryCmd, from, to int) {
	simple := func(s *syntax.Stmt, at int) bool {
		_, ok := s.Cmd.(*syntax.CallExpr)
		return ok && len(s.Redirs) == 0 && at < len(r.parts) && r.parts[at].text == r.source(s.Cmd) && len(r.parts[at].words) > 0
	}
	if c.Op == syntax.Pipe && simple(c.X, from) && simple(c.Y, to) {
		r.parts[to].found = r.parts[to].given(r.parts[from])
	}
}

// readsFound judges a command by what it does with the files that find finds, if rules allow that.
func (b *Rulebook) readsFound(f *Facts, p part) ([]Verdict, bool) {
	if p.found == nil || len(f.created) > 0 {
		return nil, false
	}
	var all []Verdict
	for _, own := range p.found.parts {
		all = append(all, b.judgePart(f, own)...)
	}
	if slices.ContainsFunc(all, func(v Verdict) bool { return v.Effect != Allow || v.NoRuleReason != "" }) {
		return nil, false
	}
	for _, dir := range p.found.dirs {
		all = append(all, f.each(p.dir, dir, Verdict{Text: dir, Effect: Allow, ends: p.found.ends, plain: p.found.plain})...)
	}
	whole := Verdict{Text: p.text, Effect: Allow, demand: demand{kind: wantsRun, words: p.words, dir: p.dir}}
	return append([]Verdict{whole}, all...), true
}

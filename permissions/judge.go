package permissions

import (
	"net/url"
	"strings"
)

// Judge says what the rules make of a question. All that it is about must be
// allowed by itself; one thing that is denied denies it. It calls f.Look.
func (b *Rulebook) Judge(f Facts) Judgement {
	var j Judgement
	for _, c := range f.Commands {
		j.Verdicts = append(j.Verdicts, b.command(&f, c)...)
	}
	for _, file := range f.Files {
		j.Verdicts = append(j.Verdicts, b.verdict(&f, fileDemand(file, false), file.Path))
	}
	for _, h := range f.Hosts {
		j.Verdicts = append(j.Verdicts, b.verdict(&f, demand{kind: wantsHost, host: h}, h))
	}
	if len(j.Verdicts) == 0 || f.Use {
		text := f.Tool
		if text == "" {
			text = f.Kind
		}
		j.Verdicts = append(j.Verdicts, b.verdict(&f, demand{kind: wantsUse}, text))
	}
	j.Effect = Allow
	for _, v := range j.Verdicts {
		j.Effect = sum(j.Effect, v)
	}
	if f.Partial && j.Effect == Allow {
		j.Effect = None
		j.Verdicts = append(j.Verdicts, Verdict{Text: "more of it", Why: "parley does not know all that it does"})
	}
	return j
}

// sum adds a verdict to what is known of a question.
func sum(e Effect, v Verdict) Effect {
	switch {
	case e == Deny || v.Effect == Deny:
		return Deny
	case e == Confirm || v.Effect == Confirm:
		return Confirm
	case v.Effect == None || v.Why != "":
		return None
	}
	return e
}

func (b *Rulebook) verdict(f *Facts, d demand, text string) Verdict {
	v := Verdict{Text: text, demand: d}
	v.Effect, v.Rule = b.strongest(f, d)
	return v
}

func fileDemand(file FileFact, beside bool) demand {
	d := demand{kind: wantsRead, file: file, beside: beside}
	if file.Write {
		d.kind = wantsWrite
	}
	return d
}

// command judges a command: a line by its parts, a program by its words.
func (b *Rulebook) command(f *Facts, c CommandFact) []Verdict {
	if c.Words != nil {
		all := b.run(f, part{text: c.Line, words: c.Words, dir: c.Dir})
		if isShell(c.Words[0]) {
			r := reader{dir: c.Dir}
			r.script(c.Words)
			for _, p := range r.parts {
				all = append(all, deeper(b.part(f, p))...)
			}
		}
		return withEnv(all, c)
	}
	parts := partsOf(c.Line, c.Dir)
	var all []Verdict
	for _, p := range parts {
		all = append(all, b.part(f, p)...)
	}
	if len(parts) > 1 {
		deeper(all)
	}
	return withEnv(all, c)
}

func withEnv(all []Verdict, c CommandFact) []Verdict {
	if c.Env {
		all = append(all, Verdict{Text: c.Line, Why: "it sets variables"})
	}
	return all
}

func deeper(all []Verdict) []Verdict {
	for i := range all {
		all[i].Depth = 1
	}
	return all
}

func (b *Rulebook) part(f *Facts, p part) []Verdict {
	switch {
	case p.file != "" || p.write:
		v := Verdict{Text: p.text, Why: p.doubt}
		if p.doubt == "" {
			file, known := lookUp(f, p.dir, p.file, p.write)
			if v = b.verdict(f, fileDemand(file, true), p.text); v.Effect == None {
				v = b.usual(v, file, known)
			}
		}
		return []Verdict{v}
	case p.words == nil:
		return []Verdict{{Text: p.text, Why: p.doubt}}
	}
	return b.run(f, p)
}

// usual is what becomes of a file that a command names and no rule speaks of:
// inside of the session's directories it may be read.
func (b *Rulebook) usual(v Verdict, file FileFact, known bool) Verdict {
	switch {
	case !known:
		v.Why = "where it leads is not known"
	case !file.Inside:
		v.Why = "outside the session's directories"
	case file.Secret:
		v.Why = "sensitive"
	case !file.Write:
		v.Effect = Allow
	}
	return v
}

// run judges a simple command, and the files and hosts that its words name.
func (b *Rulebook) run(f *Facts, p part) []Verdict {
	words := p.words
	if p.doubt != "" {
		words = knownWords(words) // a deny may still see what it is
	}
	v := b.verdict(f, demand{kind: wantsRun, words: words}, p.text)
	if p.doubt != "" && v.Effect <= Allow {
		v.Effect, v.Rule, v.Why = None, nil, p.doubt
	}
	all := []Verdict{v}
	if len(p.words) == 2 && p.words[0] == "cd" && v.Effect == None && p.doubt == "" {
		all[0].Effect = Allow // where it leads is judged below
	}
	for _, w := range p.words[1:] {
		all = append(all, b.named(f, p, w)...)
	}
	return all
}

// knownWords are the words up to the first that is not known.
func knownWords(words []string) []string {
	for i, w := range words {
		if w == "" {
			return words[:i]
		}
	}
	return words
}

// named judges what a word of a command names, where that is not harmless.
func (b *Rulebook) named(f *Facts, p part, word string) []Verdict {
	var out []Verdict
	if u, err := url.Parse(word); err == nil && u.Host != "" && u.Scheme != "" && u.Scheme != "file" {
		v := b.verdict(f, demand{kind: wantsHost, host: u.Hostname(), beside: true}, u.Hostname())
		if v.Effect == None {
			v.Why = "network"
		}
		return append(out, v)
	}
	if strings.HasPrefix(word, "-") {
		_, value, ok := strings.Cut(word, "=")
		if !ok && !strings.HasPrefix(word, "--") && len(word) > 2 {
			value, ok = strings.TrimLeft(word[2:], "="), true // -I/usr/include
			if !strings.ContainsAny(value, "/~") {
				return nil
			}
		}
		if !ok {
			return nil
		}
		word = value
	}
	if word == "" || word == "-" {
		return nil
	}
	file, known := lookUp(f, p.dir, word, false)
	if known && file.Inside && !file.Secret {
		return nil
	}
	v := b.verdict(f, fileDemand(file, true), word)
	if v.Effect == None {
		v = b.usual(v, file, known)
	}
	return append(out, v)
}

// lookUp finds the file that a word of a command names.
func lookUp(f *Facts, dir, word string, write bool) (FileFact, bool) {
	path := word
	if strings.HasPrefix(word, "~/") || word == "~" {
		path = homeDir() + word[1:]
	}
	path = joinDir(dir, path)
	if f.Look == nil || path == "" {
		return FileFact{Path: word, Write: write}, false
	}
	file := f.Look(path)
	file.Write = write
	return file, true
}

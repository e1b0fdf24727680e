package host

import (
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/patch"
	"parley/internal/toolserver"
	"parley/terminal"
)

// role says what a member of a tool call's input is for, by its name.
type role int

const (
	roleUnknown role = iota
	roleNote         // for people, or a time limit: it does not change what is done
	roleAside        // the agent's own analysis of the command; not read
	roleDetail       // part of a file, how to search, what to do with a result
	roleVerb         // what is done to a file
	rolePattern      // a search pattern for text or names of files
	roleText         // old or new text of a file
	rolePlace        // a file or directory, read or written according to the kind
	roleTarget       // a file that is written, whatever the kind
	roleDir          // where a command runs; without a command, a place
	roleCommand      // a command
	roleURL          // a URL
	rolePatch        // a text that names files and changes them
	roleDiff         // the same, or only the changes of a file named elsewhere
)

// members are the names that agents use, without _ and in lower case.
var members = map[string]role{}

func init() {
	for r, names := range map[role]string{
		roleNote: `description title reason justification explanation intention thought timeout timeoutms timeoutseconds background
			runinbackground isbackground callid toolcallid turnid itemid threadid approvalid startedatms`,
		roleAside: `parsedcmd commandactions availabledecisions proposedexecpolicyamendment`,
		roleDetail: `line lines startline endline linestart lineend linenumber column limit offset pages viewrange insertline
			maxlines maxresults headlimit maxmatchesperfile totalmaxmatches outputbytelimit outputmode multiline casesensitive ignorecase fixedstrings
			namesonly context before after recursive -a -b -c -i -n -o respectgitignore respectgeminiignore filefilteringoptions
			plan replaceall allowmultiple expectedreplacements editmode cellid celltype type kind language encoding format prompt instruction
			instructions query regex search searchterm exclude excludepattern ignore modifiedbyuser additions deletions`,
		roleVerb:    `operation op action`,
		rolePattern: `pattern patterns glob globs include includepattern`,
		roleText: `content contents text body newstring oldstring newstr oldstr newtext oldtext new old filetext newsource newfilecontents
			newcontent originalcontent aiproposedcontent insertion replacement replace edits
			add append create delete insert overwrite remove update write`,
		rolePlace: `path paths file files filepath filepaths filename filenames absolutepath relativepath root rootdir folder folders parentdir
			directories dirs notebookpath oldpath source src sourcepath srcpath targetfile grantroot changes`,
		roleTarget:  `dest destination destinationpath destpath target targetpath to output outputpath outputfile newpath movepath copy move rename`,
		roleDir:     `cwd workdir workingdir workingdirectory dir directory dirpath`,
		roleCommand: `command cmd`,
		roleURL:     `url urls uri uris`,
		rolePatch:   `patch patchtext input`,
		roleDiff:    `diff unifieddiff`,
	} {
		for name := range strings.FieldsSeq(names) {
			members[name] = r
		}
	}
}

// offByDefault are the members that grant more than the rest of the input only if they are true.
var offByDefault = strings.Fields("replaceall allowmultiple background runinbackground isbackground recursive multiline -n -o modifiedbyuser")

// saysNothingMore reports whether a member might as well be absent: null, no note, or off as it is by default.
// Any other false or empty text may lift a restriction.
func saysNothingMore(name, value string) bool {
	return value == "null" || value == `""` && members[name] == roleNote || value == "false" && slices.Contains(offByDefault, name)
}

// plainName normalises the name of a member: camelCase and snake_case are alike.
func plainName(key string) string { return strings.ToLower(strings.ReplaceAll(key, "_", "")) }

// roleOf returns what a member is for; known is false if only part of its name says so.
func roleOf(name string) (r role, known bool) {
	if r, known = members[name]; known {
		return r, true
	}
	for _, like := range []struct {
		part string
		role role
	}{{"path", rolePlace}, {"file", rolePlace}, {"folder", rolePlace}, {"directory", rolePlace}, {"url", roleURL}, {"uri", roleURL}} {
		if strings.Contains(name, like.part) {
			return like.role, false
		}
	}
	return roleUnknown, false
}

// Verbs of tools that edit files, in a member such as operation or command.
var (
	writing = strings.Fields("write create add insert append update edit replace str_replace overwrite delete remove move rename copy undo_edit patch")
	reading = strings.Fields("read view list search grep glob find")
)

// maxDepth bounds the depth of an input that is read.
const maxDepth = 8

// input is what the input of a tool call says. Each member is read once.
type input struct {
	raw     wire.Raw // what it was read from
	kind    string
	files   []inputFile
	hosts   []string
	names   []string         // of files that patterns may match; bounded by maxNames
	command string           // as shown; "" if there is none
	runs    terminal.Command // the same, without its directory
	dirs    []string         // where the command runs; ambiguous if more than one
	shown   []string         // members that the command shows
	writes  bool             // it has a text for a file, or a verb that writes
	search  bool             // it has a pattern

	besides bool // it has members that do not belong to a command
	unnamed bool // it has unknown members
	unclear bool // and what they say may matter
	aside   bool // it has an analysis of a command
}

// inputFile is a file that a tool call names.
type inputFile struct {
	path  string // as received
	write bool   // a change of it is shown
}

// writesTo reports whether a call of a kind may write a file that it names.
func (in *input) writesTo(f inputFile, kind string) bool {
	return f.write || in.writes || kind == "edit" || kind == "delete" || kind == "move"
}

// inputOf reads the input of a tool call; for one of parley's own tools, its arguments.
func inputOf(t wire.ToolCall) *input {
	tool, raw := callOf(t)
	if cmd, ok := runOverMCP(raw); ok && tool == toolserver.RunTool {
		in := &input{raw: raw, kind: text(t.Kind), shown: runMembers, command: terminal.Line(cmd), runs: cmd}
		if cmd.Dir != "" {
			in.dirs = []string{cmd.Dir}
		}
		return in
	}
	return readInput(raw, text(t.Kind))
}

// readInput reads the input of a tool call of a kind.
func readInput(raw wire.Raw, kind string) *input {
	in := &input{raw: raw, kind: kind}
	if len(raw) == 0 || string(raw) == "null" {
		return in
	}
	in.object(raw, false, 0)
	switch {
	case in.command == "":
		in.unclear = in.unclear || in.aside
		for _, dir := range in.dirs {
			in.file(dir, false)
		}
	case in.besides || len(in.dirs) > 1:
		in.unclear = true
	}
	return in
}

// object reads the members of an object and reports whether it knows any of them. In one of changes,
// each member is named after its file.
func (in *input) object(raw []byte, changes bool, depth int) (known bool) {
	if depth > maxDepth {
		in.unclear = true
		return false
	}
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		if string(m.Value) == "null" { // as good as absent
			continue
		}
		r, sure := roleOf(plainName(string(m.Key)))
		if changes && jsonscan.KindOf(m.Value) == jsonscan.Object {
			in.file(string(m.Key), true)
			r, sure = roleNote, true
		}
		in.unnamed = in.unnamed || !sure
		in.besides = in.besides || !sure || r != roleNote && r != roleAside && r != roleCommand && r != roleDir
		in.value(r, string(m.Key), m.Value, depth)
		known = known || sure
	}
	in.unclear = in.unclear || m.Err() != nil
	return known
}

// value reads the value of a member, or an item of it.
func (in *input) value(r role, key string, raw []byte, depth int) {
	if r == roleAside {
		in.aside = true
		return
	}
	if r == roleCommand {
		in.line(raw, depth)
		return
	}
	in.writes = in.writes || r == roleText
	switch jsonscan.KindOf(raw) {
	case jsonscan.Object:
		if !in.object(raw, plainName(key) == "changes", depth+1) && string(raw) != "{}" {
			in.unclear = true
		}
	case jsonscan.Array:
		items := jsonscan.ItemsOf(raw)
		for items.Next() {
			if depth > maxDepth || r == roleUnknown && jsonscan.KindOf(items.Value) != jsonscan.Object {
				in.unclear = true
				continue
			}
			in.value(r, "", items.Value, depth+1)
		}
		in.unclear = in.unclear || items.Err() != nil
	case jsonscan.String:
		s, ok := jsonscan.Text(raw)
		in.unclear = in.unclear || !ok
		in.text(r, key, s)
	case jsonscan.Number, jsonscan.Bool:
		in.unclear = in.unclear || r > roleText
	default:
		in.unclear = true
	}
}

// line reads a command. Tools that edit files use that name for something else.
func (in *input) line(raw []byte, depth int) {
	runs, command := commandIn(raw)
	switch {
	case depth == 0 && (in.kind == "edit" && (slices.Contains(writing, command) || command == "view") || in.kind == "read" && command == "view"):
		in.besides = true
	case depth > 0 || command == "" || in.command != "":
		in.unclear = true
	default:
		in.command, in.runs = command, runs
		in.unclear = in.unclear || command != terminal.Line(runs) // a program whose name a shell would interpret
	}
}

// text reads a string.
func (in *input) text(r role, key, s string) {
	switch r {
	case roleDetail, roleVerb:
		in.writes = in.writes || slices.Contains(writing, s)
		in.unnamed = in.unnamed || r == roleVerb && !slices.Contains(writing, s) && !slices.Contains(reading, s)
	case rolePattern:
		in.search = true
		names := alternatives(s, maxNames-len(in.names))
		in.names = append(in.names, names...)
		in.unclear = in.unclear || leadsAway(s) || len(in.names) == maxNames
	case rolePlace, roleTarget:
		in.file(s, r == roleTarget)
	case roleDir:
		if s != "" {
			in.dirs = append(in.dirs, s)
		}
	case roleURL:
		in.unclear = !in.url(s, false) || in.unclear
	case rolePatch, roleDiff:
		in.writes = true
		files, ok := patched(s)
		for _, f := range files {
			in.file(f, true)
		}
		in.unclear = in.unclear || !ok && (r == rolePatch || len(files) > 0)
	case roleUnknown:
		in.stranger(key, s)
	}
}

// stranger reads a text of unknown purpose. One that looks like a path or URL is treated as such, too.
func (in *input) stranger(key, s string) {
	switch {
	case in.url(s, false):
	case strings.Contains(s, patch.Begin):
		in.text(rolePatch, key, s)
	case looksLikePath(s):
		if !strings.ContainsAny(s, " \n") {
			in.file(s, false)
		}
	case !strings.Contains(s, "://") && !looksLikeCommand(key, s):
		return
	}
	in.unclear = true
}

// file adds a file. A path may be written as a URI. One that a tool may expand or trim makes the input
// unclear.
func (in *input) file(path string, write bool) {
	switch {
	case path == "":
	case (strings.Contains(path, "://") || strings.HasPrefix(strings.ToLower(path), "file:")) && in.url(path, write):
	default:
		in.unclear = in.unclear || strings.ContainsRune("$%@\"'", rune(path[0])) || strings.ContainsAny(path, "*?{") || path != strings.TrimSpace(path)
		in.files = append(in.files, inputFile{path, write})
	}
}

// url adds the host, or the file, of a URL; false if it has neither.
func (in *input) url(s string, write bool) bool {
	u, err := url.Parse(strings.TrimSpace(s))
	switch {
	case err != nil:
		return false
	case (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "":
		if !slices.Contains(in.hosts, u.Hostname()) {
			in.hosts = append(in.hosts, u.Hostname())
		}
		return true
	case u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && u.Path != "":
		path := u.Path
		if runtime.GOOS == "windows" {
			path = filepath.FromSlash(strings.TrimPrefix(path, "/"))
		}
		in.files = append(in.files, inputFile{path, write})
		in.unclear = in.unclear || strings.ContainsAny(s, "%?#") // programs interpret these differently
		return true
	}
	return false
}

// maxNames bounds the names checked for the patterns of a call.
const maxNames = 64

// alternatives returns what a pattern of file names expands to, up to a bound: the parts between
// commas, and each choice of a list in braces.
func alternatives(pattern string, most int) (out []string) {
	todo := []string{pattern}
	for len(todo) > 0 && len(out) < most {
		p := todo[0]
		todo = todo[1:]
		open := strings.IndexByte(p, '{')
		length := strings.IndexByte(p[open+1:], '}')
		if open < 0 || length < 0 {
			out = append(out, strings.Split(p, ",")...)
			continue
		}
		for one := range strings.SplitSeq(p[open+1:open+1+length], ",") {
			if len(todo) < most {
				todo = append(todo, p[:open]+one+p[open+1+length+1:])
			}
		}
	}
	return out[:min(len(out), most)]
}

// leadsAway reports whether a pattern of file names may match outside the directory that is searched.
func leadsAway(pattern string) bool {
	for _, alternative := range strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune("{(,|", r) }) {
		if filepath.IsAbs(alternative) || isDrive(alternative) || alternative[0] == '/' || alternative[0] == '~' {
			return true
		}
		for name := range strings.FieldsFuncSeq(alternative, func(r rune) bool { return r == '/' || r == filepath.Separator }) {
			if strings.TrimRight(name, "})") == ".." {
				return true
			}
		}
	}
	return strings.Contains(pattern, "{.") || strings.Contains(pattern, ",.") // pieces of a ".."
}

// looksLikePath reports whether a text is most likely a path.
func looksLikePath(s string) bool {
	switch {
	case s == "" || strings.Contains(s, "\n"):
		return false
	case filepath.IsAbs(s), isDrive(s), strings.IndexByte(`/\~.`, s[0]) >= 0:
		return true
	}
	return strings.ContainsAny(s, `/\`) && !strings.Contains(s, " ")
}

// isDrive reports whether a path begins with a Windows drive.
func isDrive(s string) bool {
	return len(s) > 1 && s[1] == ':' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}

// looksLikeCommand reports whether a text may be meant for a shell or another interpreter.
func looksLikeCommand(key, s string) bool {
	name := plainName(key)
	for _, part := range []string{"command", "cmd", "script", "args", "argv", "shell", "exec", "hook", "program"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return name == "code" || strings.Contains(s, "$(") || strings.Contains(s, "&&") || strings.Contains(s, "||") || strings.Contains(s, " | ")
}

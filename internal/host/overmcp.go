package host

import (
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/toolserver"
	"parley/terminal"
)

var ownTools = []string{toolserver.ReadTool, toolserver.WriteTool, toolserver.RunTool}

// callOf returns the arguments of a tool call to one of parley's own tools, as agents show it in their
// questions: under a name that contains the server's, or with server, tool and arguments in the input.
// For any other call it returns no tool, and the input.
func callOf(t wire.ToolCall) (tool string, input wire.Raw) {
	name := text(t.Name)
	for _, own := range ownTools {
		if strings.Contains(name, toolserver.Name) && strings.HasSuffix(name, own) {
			return own, t.RawInput
		}
	}
	m, ok := onceEach(t.RawInput)
	server, _ := jsonscan.Text(m["server"])
	tool, _ = jsonscan.Text(m["tool"])
	if ok && len(m) == 3 && name == "" && server == toolserver.Name && slices.Contains(ownTools, tool) && jsonscan.KindOf(m["arguments"]) == jsonscan.Object {
		return tool, wire.Raw(m["arguments"])
	}
	return "", t.RawInput
}

// onceEach returns the members of an object; ok is false if it is not an object, or has a member twice,
// which programs resolve differently.
func onceEach(raw []byte) (members map[string][]byte, ok bool) {
	if jsonscan.KindOf(raw) != jsonscan.Object {
		return nil, false
	}
	members = map[string][]byte{}
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		if _, twice := members[string(m.Key)]; twice {
			return nil, false
		}
		members[string(m.Key)] = m.Value
	}
	return members, m.Err() == nil
}

// writeOverMCP reads the arguments of write_text_file: a path and the new content. A call with anything
// else is rejected, and so is a path that would mean another file here.
func writeOverMCP(input []byte) (path, content string, ok bool) {
	m, ok := onceEach(input)
	path, isPath := jsonscan.Text(m["path"])
	content, isText := jsonscan.Text(m["content"])
	away := !filepath.IsAbs(path) && (strings.HasPrefix(path, "~") || slices.Contains(strings.Split(filepath.ToSlash(path), "/"), ".."))
	return path, content, ok && len(m) == 2 && isPath && isText && path != "" && !away
}

// runMembers are the members of a run_command call that its command line shows.
var runMembers = []string{"command", "args", "cwd", "env"}

// runOverMCP reads the arguments of run_command. A call with anything else is rejected.
func runOverMCP(input []byte) (cmd terminal.Command, ok bool) {
	m, ok := onceEach(input)
	for name, value := range m {
		kind, right := jsonscan.KindOf(value), false
		switch name {
		case "command":
			cmd.Command, right = jsonscan.Text(value)
		case "cwd":
			cmd.Dir, right = jsonscan.Text(value)
		case "args":
			items := jsonscan.ItemsOf(value)
			for right = kind == jsonscan.Array; right && items.Next(); {
				var arg string
				arg, right = jsonscan.Text(items.Value)
				cmd.Args = append(cmd.Args, arg)
			}
			right = right && items.Err() == nil
		case "env":
			var set map[string][]byte
			set, right = onceEach(value)
			for variable, v := range set {
				text, isText := jsonscan.Text(v)
				right = right && isText
				cmd.Env = append(cmd.Env, terminal.EnvVar{Name: variable, Value: text})
			}
		case "timeout_seconds", "output_byte_limit":
			right = kind == jsonscan.Number
		}
		ok = ok && right
	}
	slices.SortFunc(cmd.Env, func(a, b terminal.EnvVar) int { return strings.Compare(a.Name, b.Name) })
	return cmd, ok && strings.TrimSpace(cmd.Command) != ""
}

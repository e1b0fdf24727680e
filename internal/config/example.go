package config

import "strings"

// Example is a commented configuration that shows every key. It parses.
const Example = `# parley: config.toml
# parley reads it from $PARLEY_CONFIG, or else from parley/config.toml in the
# configuration directory: ~/.config on Linux, ~/Library/Application Support on
# macOS, %AppData% on Windows. Every key is optional; unknown keys are errors.

# The agent to start when none is named. Default: parley asks.
agent = "claude"

# The registry of agents that can be installed: its URL, or false for none. It is
# fetched only when you ask for it. Default: that of the protocol.
registry = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"

# auto (dark or light, like the terminal's background), dark, light, contrast-dark,
# contrast-light, ansi (the terminal's own 16 colours) or plain (no colour).
# /theme shows them.
theme = "auto"

# How much of each tool call is shown at first: normal, everything or quiet.
density = "normal"

# A panel at the right with the sessions, the plan, the changed files and what runs:
# auto (from 160 columns on), on (from 96 columns on) or off. /side switches.
side_panel = "auto"

# Write the conversation into the terminal's scrollback, where it stays when parley
# ends, instead of taking over the screen. /inline switches. Default: false.
inline = false

# Print plain lines instead of drawing a screen, as with --linear: for screen
# readers, and for anyone who prefers it. Default: false.
linear = false

# How long an agent may take to start; 0s waits forever.
start_timeout = "5m"

# If a limit of the agent's account stops a turn, wait until it resets, at most this
# long, and send the prompt again, once. esc cancels. Default: 0s, which is off.
resume_within = "2h"

# Let sessions outlive their terminal, as with --keep: parley attach returns to them.
# Default: false.
keep = false

# End a kept session that has been idle for this long with no terminal; 0s never does.
keep_for = "12h"

# How to notify you when a turn ends or a question waits while the terminal has no
# focus: auto (what the terminal supports), bell, osc9, osc777, osc99 or off.
notify = "auto"

# Also run a program then, with JSON on its standard input. Default: none.
notify_command = ["my-notifier", "--urgent"]

# The terminal's own progress bar while a turn runs: auto, on or off.
progress = "auto"

# default, vim or emacs.
keymap = "default"

# Keep a log of each session's messages, readable by you alone and without secrets
# that parley recognises. Default: true.
record = true

# Keep the prompts of each project, for up and ctrl+r, and unsent drafts, readable
# by you alone. Default: true.
history = true

# Keep what each session changed, with copies of the files before and after, for 30
# days, so that it can be reviewed and undone later. Default: true, unless record
# is false.
keep_changes = true

# Use the mouse: wheel, clicks, text selected by dragging. false leaves it to the
# terminal; /mouse switches. Default: true.
mouse = true

# Copy text selected with the mouse when the button is released. Default: true.
copy_on_select = true

# Agents of ACP 2 have their own files and commands and ask parley for none. true
# offers them parley's as an MCP server, with its questions. Default: false.
offer_tools = false

# Linux: agents and their commands can write only in the session's directories
# (--cwd and --add-dir) and in those for temporary files and caches, agents also
# where they keep their own files. They can read everything. Default: false.
sandbox = false

# With sandbox: other paths that they may write. They must exist.
sandbox_write = ["/srv/build"]

# Other programs that have joined a kept parley with the role approve may allow what
# an agent asks for. They cannot show that you have read it. Default: false, they
# may only reject.
approve_from_clients = false

# Your own agent, or another way to start a known one.
[agents.mine]
command = "my-agent"            # a name on PATH, an absolute path or one from ~/
args = ["--acp"]
prefix = ["nice", "-n", "5"]    # a command that starts it: docker exec -i box, ssh host, …
paths = { "/work" = "." }       # what it calls /work is the session's directory
env_file = "~/.my-agent.env"    # lines of NAME=VALUE, added to the environment
env = { MY_AGENT_LOG = "warn" } # the same, and before those of the file
cwd = "~/"                      # default: the session's directory
protocol = "1"                  # 1, 2 (a draft) or auto; default: 1
offer_tools = true              # default: as above
system_prompt = "~/agents.md"   # a file with instructions for every session
system_prompt_mode = "append"   # to the agent's own; override: in their place

# A remote agent. It gets nothing of this machine unless you share it. Secrets come
# from environment variables, or from the output of a command.
[agents.far]
url = "https://agents.example.com/acp" # http, https, ws or wss
headers = { X-Team = "tools" }
header_env = { Authorization = "FAR_AUTHORIZATION" }
header_command = { X-Key = ["my-keys", "show", "far"] }
ca_file = "~/far-ca.pem"        # in addition to the system's
client_cert = "~/me.pem"        # shown to the server, with its key
client_key = "~/me-key.pem"
insecure = false                # true: accept any certificate; the screen says so
h2c = "auto"                    # HTTP/2 without TLS: auto, on or off
subprotocols = ["acp.v1"]       # offered to the server of a WebSocket
cwd = "/srv/project"            # on the agent's machine; default: as here
share_files = false             # true: it reads files here, and writes them after asking
share_terminal = false          # true: it runs commands here, after asking

# A local MCP server. Every new session passes it to its agent.
[mcp.files]
command = "my-mcp-server"
args = ["--root", "/srv/files"]
env = { TOKEN = "..." }

# A remote one. type is http (the default for a url) or sse.
[mcp.search]
url = "https://mcp.example.com/search"
type = "http"
headers = { Authorization = "Bearer ..." }

# Keys of actions, by where they are pressed: chat, empty, draft, transcript,
# question, reading, always. ? in the chat lists the actions.
[keys.chat]
palette = ["ctrl+p", "f5"]

[keys.transcript]
next = ["j", "down"]
`

// Inert returns the example with everything commented out, so that it changes nothing.
func Inert() string {
	var b strings.Builder
	for line := range strings.Lines(Example) {
		if line != "\n" && !strings.HasPrefix(line, "# ") {
			b.WriteByte('#')
		}
		b.WriteString(line)
	}
	return b.String()
}

package config

import "strings"

// Example is a commented configuration that shows every key. It parses.
const Example = `# parley: config.toml
# It lives in $PARLEY_CONFIG, or in parley/config.toml below the directory for
# configuration: ~/.config on Linux, ~/Library/Application Support on macOS,
# %AppData% on Windows. Every key may be left out; unknown ones are errors.

# The agent to start when none is named. Left out: parley asks.
agent = "claude"

# auto (dark or light by the terminal's background), dark, light, contrast-dark,
# contrast-light, ansi (the terminal's own 16 colours) or plain (no colour).
# /theme shows them.
theme = "auto"

# How much of tool calls is shown at first: normal, everything or quiet.
density = "normal"

# Leave the terminal its own screen: what is finished goes into its scrollback,
# and stays there when parley ends. /inline changes it. Left out: no.
inline = false

# true: plain lines, one below the other, in the place of the screen, as with
# --linear: for screen readers, and for whoever likes that better. Left out: no.
linear = false

# How long an agent may take to start; 0s waits for ever.
start_timeout = "5m"

# How to tell that a turn is over or something is asked while the terminal has no
# focus: auto (by the terminal), bell, osc9, osc777, osc99 or off.
notify = "auto"

# The terminal's own progress bar while a turn runs: auto, on or off.
progress = "auto"

# default, vim or emacs.
keymap = "default"

# Keep a log of each session, for the user alone: what was said on the wire,
# without secrets that can be told by their names. Left out: yes.
record = true

# Keep what you have sent in a project, for up and ctrl+r, and drafts that you have
# not sent, for the user alone. Left out: yes.
history = true

# Take the mouse: wheel, clicks, text selected by dragging. false leaves it to the
# terminal; /mouse switches. Left out: yes.
mouse = true

# Copy what was selected with the mouse when the button comes up. Left out: yes.
copy_on_select = true

# Agents of ACP 2 have files and commands of their own and ask parley for none.
# Offer them those of this machine as well, as an MCP server, with parley's
# questions. Left out: no.
offer_tools = false

# Linux: agents and their commands write below the directories of the session only
# (--cwd and --add-dir), to directories for temporary files and caches, and agents
# to where they keep their own things; they read everything. Left out: no.
sandbox = false

# With it: what they may write besides. It has to be there.
sandbox_write = ["/srv/build"]

# An agent of your own, or another way to start a known one.
[agents.mine]
command = "my-agent"            # a name on PATH, an absolute path or one from ~/
args = ["--acp"]
env = { MY_AGENT_LOG = "warn" } # added to the environment
cwd = "~/"                      # left out: the directory of the session
protocol = "1"                  # 1, 2 (a draft) or auto; left out: 1
offer_tools = true              # left out: as above

# An agent that runs elsewhere. It gets nothing of this machine unless you share
# it. Secrets come from the environment, or from what a command prints.
[agents.far]
url = "https://agents.example.com/acp" # http, https, ws or wss
headers = { X-Team = "tools" }
header_env = { Authorization = "FAR_AUTHORIZATION" }
header_command = { X-Key = ["my-keys", "show", "far"] }
ca_file = "~/far-ca.pem"        # besides the system's
client_cert = "~/me.pem"        # shown to the server, with its key
client_key = "~/me-key.pem"
insecure = false                # true: any certificate will do, and the screen says so
h2c = "auto"                    # HTTP/2 without TLS: auto, on or off
subprotocols = ["acp.v1"]       # offered to the server of a WebSocket
cwd = "/srv/project"            # on the agent's machine; left out: as here
share_files = false             # true: it reads and, asked, writes files here
share_terminal = false          # true: it runs, asked, commands here

# A local MCP server. Every new session hands it to its agent.
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
# question, reading, always. ? in the chat lists what there is.
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

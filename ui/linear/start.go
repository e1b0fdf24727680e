package linear

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/internal/carried"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/internal/workspace"
)

// starts starts agents and reports progress.
type starts struct {
	w       *workspace.Workspace
	dialogs *dialogs
	tasks   *tasks
	stderr  *stderr
	agents  []workspace.Spec
	choice  string        // the suggested agent
	still   time.Duration // when it was last said that the agent is still starting
	quit    func()
	next    *dialog // that asked last what to do after a failed start
}

// choose asks which agent to start.
func (s *starts) choose() {
	var choices []choice
	for _, a := range s.agents {
		label := a.Name + ", " + strings.Join(slices.DeleteFunc([]string{strings.ToLower(a.Section), a.Command}, func(s string) bool { return s == "" }), ": ")
		if login := s.w.LoginOf(a); login != "" {
			label += ", " + login
		}
		if a.Name == s.choice {
			label += " (suggested)"
		}
		ch := choice{label: label, do: func() { s.replace(a) }}
		if a.Missing != "" {
			ch.disabledReason = a.Name + " is not installed: " + a.Missing
		}
		choices = append(choices, ch)
	}
	s.dialogs.out.say("To install more agents: parley agents --refresh lists them, and parley agents install NAME installs one.")
	none := choice{label: "None of these"}
	if front := s.w.Front(); !front.Agent.Connected() && !front.IsOpen() {
		none = choice{label: "Quit", do: s.quit}
		for i, a := range s.agents {
			choices[i].also = []string{a.Name}
		}
	}
	s.dialogs.menuOr("Which agent? It reads files in this directory, and asks before it writes, runs commands or leaves it.", choices, none, false)
}

// replace starts an agent instead of the others. It may get the conversation of the session in front.
func (s *starts) replace(spec workspace.Spec) {
	front := s.w.Front()
	text, prompts := front.Retell(-1)
	if prompts == 0 {
		s.w.Replace(spec)
		return
	}
	s.dialogs.menuOr("Take the conversation along ("+words.Count(prompts, "prompt")+", "+words.Bytes(len(text))+")?", []choice{
		{label: "Yes, with the next prompt", do: func() {
			s.w.Replace(spec)
			s.w.Front().Prompts.Carried.Add(carried.Told(text, prompts))
		}},
		{label: "No", do: func() { s.w.Replace(spec) }},
	}, choice{label: "Stay with " + called(front.Agent)}, false)
}

// another asks for an agent to replace this one, unless name is one.
func (s *starts) another(name string) {
	front := s.w.Front()
	if front.IsOpen() && busy(front) {
		s.dialogs.out.say("The turn is still running: /stop stops it.")
		return
	}
	if front.Agent.Connected() {
		s.dialogs.out.say("The new agent replaces %s, which ends.", called(front.Agent))
	}
	if name = strings.TrimSpace(name); name == "" {
		s.choose()
		return
	}
	switch spec := s.w.Spec(name); {
	case spec.Command == "":
		s.dialogs.out.say("No agent %s: /agent lists them.", safetext.Line(name, 60))
	case spec.Missing != "":
		s.dialogs.out.say("%s is not installed: %s.", spec.Name, spec.Missing)
	default:
		s.replace(spec)
	}
}

// began says that an agent is being started.
func (s *starts) began(a *workspace.Agent) {
	out := s.dialogs.out
	s.stderr.seen, s.still = 0, 0
	doing := "Starting"
	if a.Spec.Remote {
		doing = "Connecting to"
	}
	out.say("%s %s: %s", doing, called(a), words.OneLine(a.Spec.Command))
	if a.Spec.Warning != "" {
		out.say("Warning: %s.", a.Spec.Warning)
	}
	if a.Spec.Remote && a.Spec.Shared {
		out.say("Notice: %s is remote and can read and write files on this machine.", called(a))
	}
	if strings.HasPrefix(a.Spec.Where, "through npx") {
		out.say("npx fetches the package first, which can take a minute.")
	}
}

// reportProgress says from time to time that the agent is still starting, and prints what it writes
// during a login.
func (s *starts) reportProgress(a *workspace.Agent) {
	if a.Login.Running() != "" { // the address to open and the code to type there
		for _, l := range s.stderr.fresh(a) {
			s.dialogs.out.say("stderr of %s: %s", called(a), l)
		}
		s.tasks.wakeAt(time.Now().Add(time.Second))
	}
	since, dialing := a.Dialing()
	if !dialing {
		return
	}
	took := time.Since(since)
	for _, due := range []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute} {
		if due <= took && due > s.still {
			s.still = due
			s.dialogs.out.say("Still starting, %s.", spoken(due))
		}
	}
	s.tasks.wakeAt(time.Now().Add(time.Second))
}

// connected says which agent was started.
func (s *starts) connected(n workspace.AgentStarted) {
	info := cmp.Or(n.Agent.Info(), &event.AgentInfo{})
	s.dialogs.out.say("%s.", strings.TrimSpace("Connected: "+called(n.Agent)+" "+info.Version))
	if who := n.Agent.Account(); who != "" {
		s.dialogs.out.say("Account of %s: %s.", called(n.Agent), who)
	}
	if n.Note != "" {
		s.dialogs.out.say("Notice: %s.", n.Note)
	}
}

// failed says why an agent did not start, and what the user can do.
func (s *starts) failed(a *workspace.Agent, err error) {
	what := called(a) + " did not start"
	if a.Spec.Remote {
		what = "Not connected"
	}
	s.stderr.failed(a, what, err)
	for _, advice := range a.Spec.Advice(err) {
		s.dialogs.out.say("%s", advice)
	}
	s.whatNow(a, true)
}

// giveUp cancels the attempt to connect.
func (s *starts) giveUp(a *workspace.Agent) {
	a.CancelStart()
	s.dialogs.out.say("Cancelled.")
	s.whatNow(a, false)
}

func (s *starts) whatNow(a *workspace.Agent, guarded bool) {
	choices := []choice{{label: "Try again", do: a.Restart}, {label: "Another agent", do: s.choose}, {label: "Quit", do: s.quit}}
	if a.NoSession() {
		choices = append([]choice{{label: "Start a new session", do: a.StartNew}}, choices...)
	}
	if a.FallbackLog() != nil {
		choices = append([]choice{{label: "Read the log", do: a.ReadLog}}, choices...)
	}
	s.dialogs.menuOr("What next?", choices, choice{label: "None of these"}, guarded)
	s.next = s.dialogs.current
}

// foundLog asks again what to do, if that is still asked: the log of the session can be read.
func (s *starts) foundLog(a *workspace.Agent) {
	if s.next != nil && s.next == s.dialogs.current {
		s.dialogs.out.say("There is a log of the session.")
		s.whatNow(a, true)
	}
}

// stderr reads what an agent wrote to its stderr. It is printed only on failure; /log has all
// of it.
type stderr struct {
	out  *printer
	seen int // number of log lines at the last look
}

// fresh returns the last lines since a prompt was sent or something failed.
func (s *stderr) fresh(a *workspace.Agent) (out []string) {
	const most = 5
	lines, total := a.Log.Lines()
	for _, l := range lines[len(lines)-min(total-s.seen, len(lines)):] {
		if l.Source == event.LogStderr {
			out = append(out, l.Text)
		}
	}
	s.seen = total
	return out[max(0, len(out)-most):]
}

// failed prints an error with what the agent wrote about it.
func (s *stderr) failed(a *workspace.Agent, what string, err error) {
	s.out.say("%s: %s", what, err)
	said := s.fresh(a)
	var exit *event.ExitError
	if errors.As(err, &exit) {
		said = exit.Stderr
	}
	if len(said) > 0 {
		s.out.say("Last lines of its stderr:")
		for _, l := range said {
			s.out.lines(l)
		}
	}
}

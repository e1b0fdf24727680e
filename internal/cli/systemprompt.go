package cli

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"parley/acpclient"
	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/smallfile"
)

// maxSystemPrompt limits the size of a file with instructions, in bytes.
const maxSystemPrompt = 1 << 20

// SystemPromptFlags are --system-prompt and --system-prompt-mode.
type SystemPromptFlags struct{ file, mode string }

// Add defines the flags.
func (f *SystemPromptFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "system-prompt", "", "give each session the instructions in this file, if the agent accepts them")
	flags.StringVar(&f.mode, "system-prompt-mode", "", "add them to the agent's own instructions, or replace these: append or override (default: append)")
}

// Read returns the instructions that the flags name, none without them.
func (f *SystemPromptFlags) Read() (acpclient.SystemPrompt, error) {
	switch {
	case f.mode != "" && !slices.Contains(config.SystemPromptModes, f.mode):
		return acpclient.SystemPrompt{}, Usagef("--system-prompt-mode %s: want %s", f.mode, orList(config.SystemPromptModes))
	case f.mode != "" && f.file == "":
		return acpclient.SystemPrompt{}, Usagef("--system-prompt-mode needs --system-prompt")
	}
	return readSystemPrompt(f.file, f.mode, "--system-prompt")
}

// systemPrompt returns the instructions for an agent's sessions: those of the flags, else those of the
// configuration.
func (s *Setup) systemPrompt(a agents.Agent) (acpclient.SystemPrompt, error) {
	own := s.Config.Agents[a.Name]
	if s.SystemPrompt.Text != "" || a.Source != agents.Config {
		return s.SystemPrompt, nil
	}
	return readSystemPrompt(own.SystemPrompt, own.SystemPromptMode, "agents."+a.Name+".system_prompt")
}

// readSystemPrompt reads instructions from a file; "" is none. where is who named it.
func readSystemPrompt(file, mode, where string) (p acpclient.SystemPrompt, err error) {
	if file == "" {
		return p, nil
	}
	p.Override = mode == "override"
	in, err := os.Open(file)
	if err != nil {
		return p, Usagef("%s %s: %v", where, file, smallfile.Cause(err))
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxSystemPrompt+1))
	switch {
	case err != nil:
	case len(data) > maxSystemPrompt:
		err = errors.New("larger than 1 MB")
	case strings.TrimSpace(string(data)) == "":
		err = errors.New("it is empty")
	}
	if err != nil {
		return p, Usagef("%s %s: %v", where, file, smallfile.Cause(err))
	}
	p.Text = strings.ToValidUTF8(string(data), "\ufffd")
	return p, nil
}

package terminal

import (
	"bytes"
	"os"
	"os/exec"
	"time"

	"parley/internal/process"
)

// run is one run of a terminal's command. A command that is taken over has two.
type run struct {
	group    *process.Group
	stream   *os.File // of its output: a pipe, or our end of its terminal
	attended bool
	chunks   chan []byte   // from the reader to Process.run; closed at the end of the output
	unwanted chan struct{} // closed when no more chunks are wanted

	begins uint64  // where its output begins in the terminal's; for a second run known after the first was read
	begun  bool    // begins is known
	breaks unbreak // of the reader
}

// streams are the two ends of a command's input and output.
type streams struct {
	ours, theirs *os.File
	attended     bool
}

func openStreams(attended bool) (streams, error) {
	s := streams{attended: attended}
	var err error
	if attended {
		if s.ours, s.theirs, err = OpenPTY(); err == nil {
			err = SetSize(s.ours, startCols, startRows)
		}
	} else {
		s.ours, s.theirs, err = os.Pipe()
	}
	if err != nil && s.ours != nil {
		s.close()
	}
	return s, err
}

func (s streams) close() {
	s.ours.Close()
	s.theirs.Close()
}

// start starts a command on the streams. After an error they are closed.
func (s streams) start(cmd *exec.Cmd) (*run, error) {
	cmd.Stdout, cmd.Stderr = s.theirs, s.theirs
	if s.attended {
		cmd.Stdin = s.theirs
		Control(cmd)
	}
	group, err := process.Start(cmd)
	if err != nil {
		s.close()
		return nil, err
	}
	s.theirs.Close()
	return &run{group: group, stream: s.ours, attended: s.attended, chunks: make(chan []byte), unwanted: make(chan struct{})}, nil
}

// end terminates the process group: with a signal it can handle, and after grace with SIGKILL.
func (r *run) end(grace time.Duration) {
	if grace > 0 && r.group.Alive() {
		r.group.Track()
		r.group.Terminate()
		r.group.WaitGone(grace)
	}
	r.group.Kill()
	r.group.WaitGone(endWait)
}

// isOver reports whether the command itself has ended.
func (r *run) isOver() bool {
	select {
	case <-r.group.Done():
		return true
	default:
		return false
	}
}

// unbreak turns the line breaks of a terminal back into newlines.
type unbreak struct{ held bool } // a carriage return that may begin a line break

func (u *unbreak) add(p []byte) []byte {
	if len(p) == 0 {
		return nil
	}
	out := make([]byte, 0, len(p)+1)
	if u.held && p[0] != '\n' {
		out = append(out, '\r')
	}
	if u.held = p[len(p)-1] == '\r'; u.held {
		p = p[:len(p)-1]
	}
	for {
		i := bytes.Index(p, []byte("\r\n"))
		if i < 0 {
			return append(out, p...)
		}
		out = append(append(out, p[:i]...), '\n')
		p = p[i+2:]
	}
}

// rest returns what is still held at the end.
func (u *unbreak) rest() []byte {
	if u.held {
		u.held = false
		return []byte{'\r'}
	}
	return nil
}

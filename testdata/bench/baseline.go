//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// client is a minimal ACP client: an agent and a session.
type client struct {
	in  io.Writer
	out *bufio.Reader
}

// agentOf starts our agent and opens a session: the stored one named kept, or a new one.
func agentOf(kept string) (*client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-agent")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &client{in, bufio.NewReaderSize(out, 1<<18)}
	c.call("initialize", `{"protocolVersion":1}`)
	c.lines(nil)
	if kept == "" {
		c.call("session/new", `{"cwd":"/","mcpServers":[]}`)
		c.lines(nil)
	}
	return c, nil
}

func (c *client) call(method, params string) {
	fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}`+"\n", method, params)
}

func (c *client) prompt(text string) {
	c.call("session/prompt", `{"sessionId":"new","prompt":[{"type":"text","text":`+quoted(text)+`}]}`)
}

// lines reads lines until a response, and returns how many came before it.
func (c *client) lines(each func(line []byte)) (n int) {
	for {
		line, err := c.out.ReadSlice('\n')
		if err != nil || bytes.HasPrefix(line, []byte(`{"jsonrpc":"2.0","id"`)) {
			return n
		}
		n++
		if each != nil {
			each(line)
		}
	}
}

// split is the cost of an answer in the bare loop.
type split struct {
	Lines int
	CPU   time.Duration
	Wall  time.Duration // from the first byte to the last
	Whole time.Duration `json:"-"` // from exec to the end
}

// runSplit is the bare loop: it requests one answer or loads a stored session, and splits the
// output into lines.
func runSplit(text string) {
	kept, isKept := strings.CutPrefix(text, "kept:")
	c, err := agentOf(kept)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	before, began := ownCPU(), time.Time{}
	if isKept {
		c.call("session/load", `{"sessionId":`+quoted(kept)+`,"cwd":"/","mcpServers":[]}`)
	} else {
		c.prompt(text)
	}
	n := c.lines(func([]byte) {
		if began.IsZero() {
			began = time.Now()
		}
	})
	json.NewEncoder(os.Stdout).Encode(split{Lines: n, CPU: ownCPU() - before, Wall: time.Since(began)})
}

// split runs the bare loop in a separate process.
func (b *bench) split(text string) (s split, err error) {
	dir, env, err := b.place()
	if err != nil {
		return s, err
	}
	cmd := exec.Command(b.self, "-split", text)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, os.Stderr
	defer os.RemoveAll(filepath.Dir(dir))
	began := time.Now()
	out, err := cmd.Output()
	s.Whole = time.Since(began)
	if err == nil {
		err = json.Unmarshal(out, &s)
	}
	if err != nil {
		return s, fmt.Errorf("the bare loop: %w", err)
	}
	return s, nil
}

// bareProgram draws the end of a text and an input line.
type bareProgram struct {
	client *client       // set before agent is closed
	agent  chan struct{} // closed when the agent has started
	mu     sync.Mutex    // guards text
	text   strings.Builder
	draft  string
	width  int
	height int
}

type moreText struct{}

// runTea is the bare Bubble Tea program.
func runTea() {
	m := &bareProgram{agent: make(chan struct{})}
	p := tea.NewProgram(m)
	more := make(chan struct{}, 1)
	go func() {
		for range more { // at most once per frame
			p.Send(moreText{})
			time.Sleep(time.Second / 60)
		}
	}()
	go m.read(more)
	if _, err := p.Run(); err != nil {
		os.Exit(1)
	}
}

// read starts the agent and extracts the text of every line until the output ends.
func (m *bareProgram) read(more chan<- struct{}) {
	var err error
	if m.client, err = agentOf(""); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	close(m.agent)
	for {
		m.client.lines(func(line []byte) {
			_, rest, _ := bytes.Cut(line, []byte(`"text":`))
			var s string
			if json.Unmarshal(bytes.TrimSuffix(rest, []byte("}}}}\n")), &s) != nil {
				return
			}
			m.mu.Lock()
			m.text.WriteString(s)
			m.mu.Unlock()
			select {
			case more <- struct{}{}:
			default:
			}
		})
		if _, err := m.client.out.Peek(1); err != nil {
			return
		}
	}
}

// Init implements tea.Model.
func (m *bareProgram) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m *bareProgram) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		switch msg.Keystroke() {
		case "enter":
			<-m.agent
			m.client.prompt(m.draft)
			m.draft = ""
		case "backspace":
			if r := []rune(m.draft); len(r) > 0 {
				m.draft = string(r[:len(r)-1])
			}
		default:
			m.draft += msg.Text
		}
	}
	return m, nil
}

// View implements tea.Model. It draws the rows that fit from the last bytes of the text.
func (m *bareProgram) View() tea.View {
	var rows []string
	if m.width > 0 {
		m.mu.Lock()
		text := m.text.String()
		m.mu.Unlock()
		text = strings.ReplaceAll(text[max(0, len(text)-m.width*m.height):], "\t", "    ")
		rows = strings.Split(ansi.Wrap(strings.ToValidUTF8(text, ""), m.width, ""), "\n")
		rows = rows[max(0, len(rows)-m.height+1):]
	}
	v := tea.NewView(strings.Join(append(rows, "> "+m.draft), "\n"))
	v.AltScreen = true
	return v
}

//go:build unix

package interop

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"parley/acpclient"
	"parley/acpclient/transport"
	"parley/internal/must"
)

// Agents at a URL: on the SDK's own server, or served by `parley serve`.
var (
	tsHTTP = peer{sdk: tsSDK, tag: "ts", scheme: "http"}
	tsWS   = peer{sdk: tsSDK, tag: "ts", scheme: "ws"}
	goHTTP = peer{sdk: goSDK, tag: "go", scheme: "http", serve: true}
	goWS   = peer{sdk: goSDK, tag: "go", scheme: "ws", serve: true}
	tsV2WS = peer{sdk: tsSDK, tag: "ts", scheme: "ws", flags: []string{"--v2"}, v2: true}

	tsV2ServedHTTP = peer{sdk: tsSDK, tag: "ts", scheme: "http", serve: true, flags: []string{"--v2"}, v2: true}
	tsV2ServedWS   = peer{sdk: tsSDK, tag: "ts", scheme: "ws", serve: true, flags: []string{"--v2"}, v2: true}
)

// label names a peer in test names.
func (p peer) label() string {
	label := p.tag
	if p.serve {
		label += "-served"
	}
	if p.scheme != "" {
		label += "-" + p.scheme
	}
	return label
}

var urlLine = regexp.MustCompile(`(?:https?|wss?)(://[^\s"]+)`)

// url starts the peer's server and returns its URL. The server ends with the test.
func (p peer) url(t *testing.T) string {
	t.Helper()
	command := append(p.need(t), p.flags...)
	if p.serve {
		binary := must.Get(parley())(t)
		command = append([]string{binary, "serve", "--listen", "127.0.0.1:0", "--no-token", "--"}, command...)
	} else {
		command = append([]string{}, command...)
		command[1] = filepath.Join(filepath.Dir(command[1]), "server.mjs")
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+cmd.Dir, "PARLEY_STATE="+cmd.Dir)
	stdin := must.Get(cmd.StdinPipe())(t)
	stdout := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		stdin.Close()
		cmd.Wait()
	})
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if m := urlLine.FindStringSubmatch(lines.Text()); m != nil {
			go func() {
				for lines.Scan() { // read on, or the server would block on further output
				}
			}()
			return p.scheme + m[1]
		}
	}
	t.Fatalf("%s says no URL: %v", strings.Join(command, " "), lines.Err())
	return ""
}

// dial connects to a peer at a URL.
func (r *rig) dial(p peer, opts acpclient.Options) (*acpclient.Client, error) {
	return acpclient.Dial(r.ctx(), transport.Remote{URL: p.url(r.t)}, opts)
}

// What both versions share works for v2 at a URL too.
func TestV2AtAURL(t *testing.T) {
	t.Parallel()
	for _, p := range []peer{tsV2WS, tsV2ServedHTTP, tsV2ServedWS} {
		for name, check := range map[string]func(*testing.T, peer){"thought": checkThought, "plan": checkPlan, "cancel": checkCancel, "load": checkLoad, "at once": checkSessionsAtOnce} {
			t.Run(p.label()+" "+name, func(t *testing.T) {
				p.need(t)
				t.Parallel()
				check(t, p)
			})
		}
	}
}

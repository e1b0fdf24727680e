package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"parley/acpclient"
	"parley/acpclient/transport"
	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/host"
	"parley/internal/lazy"
	"parley/internal/process"
	"parley/internal/programs"
)

// schemes are the URL schemes of remote agents.
var schemes = []string{"http", "https", "ws", "wss"}

// IsURL reports whether a command-line argument is meant as a URL, even one parley does not
// support.
func IsURL(word string) bool {
	scheme, _, ok := strings.Cut(word, "://")
	return ok && regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`).MatchString(scheme)
}

// AtURL returns the agent at a URL of the command line, named after its host. Errors mention only
// the scheme, because the rest may hold a password.
func AtURL(raw string) (agents.Agent, error) {
	const want = "want http://host, https://host, ws://host or wss://host"
	u, err := url.Parse(raw)
	scheme, _, _ := strings.Cut(raw, "://")
	switch {
	case !slices.Contains(schemes, strings.ToLower(scheme)):
		return agents.Agent{}, Usagef("unsupported scheme %s://: %s", scheme, want)
	case err != nil:
		return agents.Agent{}, Usagef("not a valid %s:// URL: %s", scheme, want)
	case u.Hostname() == "":
		return agents.Agent{}, Usagef("%s:// URL without a host: %s", scheme, want)
	case !config.HasValidPort(u):
		return agents.Agent{}, Usagef("%s:// URL with a port that is not 1 to 65535: %s", scheme, want)
	}
	return agents.Agent{Name: u.Host, Title: u.Host, URL: raw, Source: agents.Custom}, nil
}

// RemoteFlags are the flags for remote agents.
type RemoteFlags struct {
	insecure, shareFiles, shareTerminal bool
	caFile, h2c, cwd                    string
	headerEnv, subprotocols             []string
}

// Add defines the flags.
func (f *RemoteFlags) Add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.headerEnv, "header-env", nil, "remote agent: NAME=VARIABLE sends a header with the value of an environment variable (repeatable)")
	flags.StringVar(&f.caFile, "ca-file", "", "remote agent: also trust the certificates in this PEM file")
	flags.BoolVar(&f.insecure, "insecure", false, "remote agent: accept any certificate")
	flags.StringVar(&f.h2c, "h2c", "", "remote agent: HTTP/2 without TLS: auto, on or off")
	flags.StringVar(&f.cwd, "remote-cwd", "", "remote agent: directory on its machine (default: the same path as here)")
	flags.StringArrayVar(&f.subprotocols, "subprotocol", nil, "remote agent: offer this WebSocket subprotocol (repeatable)")
	flags.BoolVar(&f.shareFiles, "share-files", false, "remote agent: let it read this directory's files, and write them after asking")
	flags.BoolVar(&f.shareTerminal, "share-terminal", false, "remote agent: let it run commands on this machine after asking")
}

// drive matches the start of an absolute Windows path. The agent's machine may run Windows.
var drive = lazy.Regexp(`^[A-Za-z]:[\\/]`)

// apply returns the configuration of a remote agent with the flags applied over it.
func (f *RemoteFlags) apply(r config.Remote) (config.Remote, error) {
	for _, pair := range f.headerEnv {
		name, variable, ok := strings.Cut(pair, "=")
		if !ok || name == "" || variable == "" {
			return r, Usagef("--header-env %s: want NAME=VARIABLE", pair)
		}
		merged := map[string]string{name: variable}
		for n, v := range r.HeaderEnv {
			if !strings.EqualFold(n, name) {
				merged[n] = v
			}
		}
		r.HeaderEnv = merged
	}
	if f.caFile != "" {
		r.CAFile = f.caFile
	}
	switch f.h2c {
	case "":
	case "auto", "on", "off":
		r.H2C = f.h2c
	default:
		return r, Usagef("--h2c %s: want auto, on or off", f.h2c)
	}
	if f.cwd != "" && !strings.HasPrefix(f.cwd, "/") && !drive().MatchString(f.cwd) {
		return r, Usagef("--remote-cwd %s: want an absolute path on the agent's machine", f.cwd)
	}
	if f.subprotocols != nil {
		r.Subprotocols = f.subprotocols
	}
	if err := config.CheckSubprotocols(r.Subprotocols); err != nil {
		return r, Usagef("--subprotocol %v", err)
	}
	r.Insecure = r.Insecure || f.insecure
	r.ShareFiles = r.ShareFiles || f.shareFiles
	r.ShareTerminal = r.ShareTerminal || f.shareTerminal
	return r, nil
}

// remoteOf returns the settings of a remote agent.
func (s *Setup) remoteOf(a agents.Agent) (config.Remote, error) {
	var r config.Remote
	if a.Source == agents.Config {
		r = s.Config.Agents[a.Name].Remote
	}
	r.URL = a.URL
	return s.Remote.apply(r)
}

// Insecure reports whether the agent may present any certificate.
func (s *Setup) Insecure(a agents.Agent) bool {
	r, err := s.remoteOf(a)
	return a.URL != "" && err == nil && r.Insecure
}

// SharesFiles reports whether a remote agent may use files of this machine.
func (s *Setup) SharesFiles(a agents.Agent) bool {
	r, err := s.remoteOf(a)
	return a.URL != "" && err == nil && r.ShareFiles
}

// DescribeAccess describes what a remote agent may use of this machine.
func (s *Setup) DescribeAccess(a agents.Agent) string {
	r, err := s.remoteOf(a)
	switch {
	case err != nil || !r.ShareFiles && !r.ShareTerminal:
		return "nothing of this machine"
	case !r.ShareTerminal:
		return "this directory's files; asks before it writes or reaches outside"
	case !r.ShareFiles:
		return "commands on this machine; asks before each"
	}
	return "this directory's files and commands on this machine; asks before it writes, runs a command or reaches outside"
}

// shared returns what a remote agent may use of this machine; nil for a local agent.
func (s *Setup) shared(a agents.Agent, p Directories) (*host.Remote, error) {
	if a.URL == "" {
		return nil, nil
	}
	r, err := s.remoteOf(a)
	return &host.Remote{Files: r.ShareFiles, Terminal: r.ShareTerminal, Roots: append([]string{p.Cwd}, p.Roots...)}, err
}

// jars hold the cookies of remote agents for the life of the process, across connections.
type jars struct {
	mu sync.Mutex
	of map[string]http.CookieJar
}

func (j *jars) jar(agent string) http.CookieJar {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.of == nil {
		j.of = map[string]http.CookieJar{}
	}
	if j.of[agent] == nil {
		j.of[agent], _ = cookiejar.New(nil) // cannot fail without a list of public suffixes
	}
	return j.of[agent]
}

// client starts a local agent or connects to a remote one.
func (s *Setup) client(ctx context.Context, a agents.Agent, p Directories, opts acpclient.Options) (*acpclient.Client, error) {
	if a.URL == "" {
		start, err := s.starting(a, p)
		if err != nil {
			return nil, err
		}
		if opts.Agent == "" {
			opts.Agent = a.CommandLine()
		}
		return acpclient.Launch(ctx, start, opts)
	}
	r, err := s.remoteOf(a)
	if err != nil {
		return nil, err
	}
	remote, err := dialing(ctx, r)
	if err != nil {
		return nil, err
	}
	remote.Jar = s.jars.jar(a.Name)
	opts.TerminalLogin = false // the login command would be on the other machine
	return acpclient.Dial(ctx, remote, opts)
}

// commandPatience limits how long a command that prints a header value may run.
const commandPatience = time.Minute

// dialing returns the transport settings of a remote agent. It fetches secrets each time, so every
// connection gets current ones.
func dialing(ctx context.Context, r config.Remote) (transport.Remote, error) {
	out := transport.Remote{URL: r.URL, Header: http.Header{}, H2C: r.H2C, Subprotocols: r.Subprotocols}
	for name, value := range r.Headers {
		out.Header.Set(name, value)
	}
	for name, variable := range r.HeaderEnv {
		value := process.Withheld(variable)
		if value == "" {
			return out, Usagef("header %s: the variable %s is not set", name, variable)
		}
		out.Header.Set(name, value)
	}
	for name, words := range r.HeaderCommand {
		value, err := commandOutput(ctx, words)
		if err != nil {
			return out, fmt.Errorf("header %s: %w", name, err)
		}
		out.Header.Set(name, value)
	}
	for name, values := range out.Header {
		if strings.ContainsAny(values[0], "\r\n\x00") {
			return out, Usagef("header %s: its value contains a line break", name)
		}
	}
	var err error
	out.TLS, err = tlsOf(r)
	return out, err
}

// commandOutput returns the first line that a command prints. The output is secret and never shown.
func commandOutput(ctx context.Context, words []string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, commandPatience)
	defer stop()
	file, err := programs.Locate(words[0])
	if err != nil {
		return "", fmt.Errorf("run %s: %w", words[0], err)
	}
	cmd := programs.Command(ctx, file, words[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("run %s: %w", words[0], err)
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return "", fmt.Errorf("%s printed nothing", words[0])
	}
	return string(line), nil
}

// tlsOf returns the TLS settings for the server and this client; nil for the system's defaults.
func tlsOf(r config.Remote) (*tls.Config, error) {
	if r.CAFile == "" && r.ClientCert == "" && !r.Insecure {
		return nil, nil
	}
	c := &tls.Config{InsecureSkipVerify: r.Insecure}
	if r.CAFile != "" {
		pem, err := os.ReadFile(r.CAFile)
		if err != nil {
			return nil, Usagef("ca_file: %v", pathError(err))
		}
		if c.RootCAs, err = x509.SystemCertPool(); err != nil {
			c.RootCAs = x509.NewCertPool()
		}
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, Usagef("ca_file %s: contains no certificate", r.CAFile)
		}
	}
	if r.ClientCert != "" {
		cert, err := tls.LoadX509KeyPair(r.ClientCert, r.ClientKey)
		if err != nil {
			return nil, Usagef("client_cert: %v", pathError(err))
		}
		c.Certificates = []tls.Certificate{cert}
	}
	return c, nil
}

// pathError removes the name of the system call from an error.
func pathError(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}

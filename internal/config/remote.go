package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Remote is the part of [agents.NAME] for an agent at a URL.
type Remote struct {
	URL     string            `toml:"url"`     // http, https, ws or wss; "" for an agent with a command
	Headers map[string]string `toml:"headers"` // sent with every request
	// Values of secret headers: from environment variables, or from the output of a
	// command.
	HeaderEnv     map[string]string   `toml:"header_env"`
	HeaderCommand map[string][]string `toml:"header_command"`

	CAFile     string `toml:"ca_file"` // PEM, in addition to the system's
	ClientCert string `toml:"client_cert"`
	ClientKey  string `toml:"client_key"`
	Insecure   bool   `toml:"insecure"` // accept any certificate
	H2C        string `toml:"h2c"`      // auto, on or off; "" means auto

	Subprotocols []string `toml:"subprotocols"` // for a WebSocket

	ShareFiles    bool `toml:"share_files"`    // give the agent access to the files of this machine
	ShareTerminal bool `toml:"share_terminal"` // let the agent run commands on it
}

// remote checks an agent at a URL. It does not show values: they may be secrets.
func (k *checker) remote(a *Agent, path []string) {
	at := func(key string) []string { return append(slices.Clone(path), key) }
	u, err := url.Parse(a.URL)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) {
		k.report(at("url"), "url: want http://host, https://host, ws://host or wss://host")
	} else {
		k.port(u, at("url"))
	}
	k.requires(a.Args != nil, "command", at("args"))
	k.requires(a.Env != nil, "command", at("env"))
	k.requires(a.EnvFile != "", "command", at("env_file"))
	k.requires(a.Paths != nil, "command", at("paths"))
	k.requires(a.Prefix != nil, "command", at("prefix"))
	k.headers(a.Headers, at("headers"))
	for name, variable := range a.HeaderEnv {
		k.headers(map[string]string{name: ""}, at("header_env"))
		if variable == "" {
			k.report(append(at("header_env"), name), "%s: want the name of a variable", dotted(append(at("header_env"), name)))
		}
	}
	for name, words := range a.HeaderCommand {
		k.headers(map[string]string{name: ""}, at("header_command"))
		if len(words) == 0 || words[0] == "" {
			k.report(append(at("header_command"), name), "%s: want a command and its arguments", dotted(append(at("header_command"), name)))
			continue
		}
		k.command(&words[0], append(at("header_command"), name))
	}
	for key, file := range map[string]*string{"ca_file": &a.CAFile, "client_cert": &a.ClientCert, "client_key": &a.ClientKey} {
		if *file != "" && k.home(file, at(key)) && !filepath.IsAbs(*file) {
			k.report(at(key), "%s: want an absolute path or one from ~/", dotted(at(key)))
		}
	}
	if (a.ClientCert == "") != (a.ClientKey == "") {
		k.report(path, "%s: client_cert and client_key belong together", dotted(path))
	}
	k.oneOf(a.H2C, []string{"auto", "on", "off"}, at("h2c")...)
	if err := CheckSubprotocols(a.Subprotocols); err != nil {
		k.report(at("subprotocols"), "%s: %v", dotted(at("subprotocols")), err)
	}
}

// CheckSubprotocols rejects names that are not valid in the header. It does not show them:
// some servers take secrets there.
func CheckSubprotocols(names []string) error {
	for i, name := range names {
		if name == "" || strings.ContainsFunc(name, notToken) || slices.Contains(names[:i], name) {
			return fmt.Errorf("number %d: want names without spaces and commas, each once", i+1)
		}
	}
	return nil
}

// local rejects keys that only make sense for an agent at a URL.
func (k *checker) local(a *Agent, path []string) {
	for key, there := range map[string]bool{"headers": a.Headers != nil, "header_env": a.HeaderEnv != nil, "header_command": a.HeaderCommand != nil,
		"ca_file": a.CAFile != "", "client_cert": a.ClientCert != "", "client_key": a.ClientKey != "", "insecure": a.Insecure, "h2c": a.H2C != "", "subprotocols": a.Subprotocols != nil,
		"share_files": a.ShareFiles, "share_terminal": a.ShareTerminal} {
		k.requires(there, "url", append(slices.Clone(path), key))
	}
}

//go:build unix

package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
)

// installsNpx shows on the first page what installing an agent would do that npx could start.
func installsNpx(d *desk) {
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"version": "1.0.0", "agents": [{"id": "gemini", "name": "Gemini CLI", "version": "1.2.3", "distribution": {"npx": {"package": "@google/gemini-cli@1.2.3"}}}]}`)
	}))
	d.Cleanup(registry.Close)
	d.script("npx", "exit 1")
	d.script("npm", "exit 1")
	config := d.path("config.toml")
	write(d, config, "registry = \""+registry.URL+"/registry.json\"\n")
	d.env = append(d.env, "PATH="+d.path("bin")+":"+toolbox, "PARLEY_CONFIG="+config)
	s := &hand{StartEnv(d.T, 100, 30, d.dir, append([]string{"PARLEY_STATE=" + d.path("state")}, d.env...)), d}
	s.WaitFor("Type to filter")
	s.Type("gemini")
	s.WaitFor("enter start", "alt+i install…")
	s.Press("alt+i")
	s.WaitFor("Installs  Gemini CLI", "npm install", "esc back")
	s.Press("esc")
	s.WaitFor("enter start")
}

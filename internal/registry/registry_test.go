package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
	"parley/internal/safetext"
)

const good = `{"id": "good", "name": "Good", "version": "1.2.3", "description": "Does good", "distribution": {"npx": {"package": "@scope/good@1.2.3", "args": ["--acp"], "env": {"A": "b"}}}}`

// index is an index with these entries.
func index(entries ...string) string {
	return `{"version": "1.0.0", "unknown": {"x": [1]}, "agents": [` + strings.Join(entries, ",") + `], "extensions": [{"id": "extension"}]}`
}

func ids(x *Index) string {
	var all []string
	for _, e := range x.Entries {
		all = append(all, e.ID)
	}
	return strings.Join(all, " ")
}

func TestDecode(t *testing.T) {
	x := must.Get(decode([]byte(index(
		`{"id": "zip", "name": "Zip", "version": "2.0.0", "description": "a\n b", "license": "MIT", "authors": ["A", 3], "repository": "https://example.com/r", "icon": 5,
		 "distribution": {"binary": {"linux-x86_64": {"archive": "https://example.com/a.tar.gz", "cmd": "./bin/zip", "sha256": "`+strings.Repeat("AB", 32)+`"}, "plan9-mips": {"archive": "x"}}, "flatpak": {}}}`,
		good,
		`{"id": "py", "version": "0.1.0", "distribution": {"uvx": {"package": "py-agent==0.1.0"}}}`))))(t)
	if ids(x) != "good py zip" || len(x.Wrong) != 0 {
		t.Fatalf("%s, %q", ids(x), x.Wrong)
	}
	npx, _ := x.Find("good")
	if p := npx.NPX; p.Name != "@scope/good" || p.Version != "1.2.3" || !slices.Equal(p.Args, []string{"--acp"}) || p.Env["A"] != "b" {
		t.Errorf("%+v", p)
	}
	py, _ := x.Find("py")
	if p := py.UVX; p.Name != "py-agent" || p.Version != "0.1.0" || py.Name != "py" {
		t.Errorf("%+v", p)
	}
	zip, _ := x.Find("zip")
	target := zip.Binary["linux-x86_64"]
	if target.Command != "bin/zip" || target.SHA256 != strings.Repeat("ab", 32) || zip.Description != "a b" || zip.Repository != "https://example.com/r" || len(zip.Binary) != 1 {
		t.Errorf("%+v", zip)
	}
	if _, found := x.Find("extension"); found {
		t.Error("an extension is listed")
	}
	if !zip.Matches("ZIP a") || zip.Matches("zip zap") {
		t.Error("the search finds something else")
	}
}

// What is wrong with an entry leaves out that one alone.
func TestHostileEntries(t *testing.T) {
	npx := func(spec string) string {
		return fmt.Sprintf(`{"id": "bad", "version": "1.0.0", "distribution": {"npx": {"package": %s}}}`, must.Get(json.Marshal(spec))(t))
	}
	binary := func(members string) string {
		return `{"id": "bad", "version": "1.0.0", "distribution": {"binary": {"linux-x86_64": {` + members + `}}}}`
	}
	args := func(members string) string {
		return `{"id": "bad", "version": "1.0.0", "distribution": {"npx": {"package": "bad", ` + members + `}}}`
	}
	for _, entry := range []string{
		`1`, `null`, `[]`, `"bad"`, `{}`, `{"id": 5}`,
		`{"id": "../bad", "version": "1.0.0"}`, `{"id": "Bad", "version": "1.0.0"}`, `{"id": "` + strings.Repeat("b", 65) + `", "version": "1.0.0"}`,
		`{"id": "bad", "version": "../../x"}`, `{"id": "bad", "version": "1.0.0/x"}`, `{"id": "bad", "version": "latest"}`, `{"id": "bad", "version": 1}`,
		`{"id": "bad", "version": "1.0.0"}`, `{"id": "bad", "version": "1.0.0", "distribution": 7}`, `{"id": "bad", "version": "1.0.0", "distribution": {"flatpak": {"package": "x"}}}`,
		npx("git+ssh://example.com/x"), npx("../x"), npx("file:x"), npx("x@^1.0.0"), npx("x@next"), npx("https://example.com/x.tgz"), npx("--registry=x"), npx("x y"), npx(""), npx("x@1.0.0 --flag"), npx("x\x7f"),
		`{"id": "bad", "version": "1.0.0", "distribution": {"uvx": {"package": "x @ https://example.com"}}}`, `{"id": "bad", "version": "1.0.0", "distribution": {"uvx": {"package": "-r x"}}}`,
		binary(`"archive": "http://example.com/x.zip", "cmd": "x"`), binary(`"archive": "file:///x.zip", "cmd": "x"`), binary(`"archive": "https://u:p@example.com/x.zip", "cmd": "x"`), binary(`"archive": "/x.zip", "cmd": "x"`),
		binary(`"archive": "https://example.com/x.zip", "cmd": "../x"`), binary(`"archive": "https://example.com/x.zip", "cmd": "/bin/sh"`), binary(`"archive": "https://example.com/x.zip", "cmd": "a/../../x"`),
		binary(`"archive": "https://example.com/x.zip", "cmd": "..\\x"`), binary(`"archive": "https://example.com/x.zip", "cmd": "x:y"`), binary(`"archive": "https://example.com/x.zip", "cmd": "."`), binary(`"archive": "https://example.com/x.zip"`),
		binary(`"archive": "https://example.com/x.zip", "cmd": "x", "sha256": "12"`), binary(`"archive": "https://example.com/x.zip", "cmd": "x", "args": "y"`),
		args(`"args": ["a\u0000b"]`), args(`"args": ["a\u001b[2J"]`), args(`"args": [1]`), args(`"env": {"PARLEY_STATE": "/x"}`), args(`"env": {"a=b": "c"}`), args(`"env": {"A": "b\u0000"}`), args(`"env": ["A"]`),
		args(`"args": [` + strings.Repeat(`"x",`, 70) + `"x"]`), args(`"args": ["` + strings.Repeat("x", 3000) + `"], "env": {"A": "` + strings.Repeat("x", 3000) + `"}`),
	} {
		x, err := decode([]byte(index(entry, good)))
		if err != nil || ids(x) != "good" || len(x.Wrong) != 1 {
			t.Errorf("%s: %v, %v", entry, x, err)
			continue
		}
		if said := x.Wrong[0]; safetext.Line(said, maxText) != said {
			t.Errorf("%s: says %q", entry, said)
		}
	}
	twice := must.Get(decode([]byte(index(good, strings.Replace(good, "Good", "Other", 1)))))(t)
	if ids(twice) != "good" || twice.Entries[0].Name != "Good" || len(twice.Wrong) != 1 {
		t.Errorf("%+v", twice)
	}
	loud := must.Get(decode([]byte(index(`{"id": "loud", "name": "L\u001b]52;c;eA==\u0007\u202e", "version": "1.0.0", "description": "` + strings.Repeat("x", 5000) + `", "license": {"x": 1}, "authors": 3, "repository": "javascript:x", "distribution": {"npx": {"package": "loud"}}}`))))(t)
	e := loud.Entries[0]
	if all := e.Name + e.Description + e.License + e.Repository; safetext.Clean(all) != all || len(e.Description) > 2*maxText || e.Repository != "" {
		t.Errorf("%+v", e)
	}
}

func TestHostileIndexes(t *testing.T) {
	for _, text := range []string{
		"", "null", "[]", "{}", "7", `{"agents": {}}`, `{"agents": null}`, `{"agents": "x"}`, `{"agents": [`, index(good) + "x", "<html>", strings.Repeat("[", 1<<20),
		`{"agents": ` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, strings.Repeat(" ", maxIndex) + index(good),
	} {
		if x, err := decode([]byte(text)); err == nil {
			t.Errorf("%.40q: %v", text, x)
		}
	}
	many := make([]string, maxEntries+500)
	for i := range many {
		many[i] = strings.Replace(good, `"good"`, fmt.Sprintf(`"good-%d"`, i), 1)
	}
	x := must.Get(decode([]byte(index(many...))))(t)
	if len(x.Entries) != maxEntries || len(x.Wrong) != 1 {
		t.Errorf("%d entries, %q", len(x.Entries), x.Wrong)
	}
	wrong := must.Get(decode([]byte(index(strings.Repeat("1,", 1000) + "1"))))(t)
	if len(wrong.Wrong) != maxWrong {
		t.Errorf("%d lines about what is wrong", len(wrong.Wrong))
	}
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func TestFetch(t *testing.T) {
	fail := false
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if fail {
			http.Error(w, "no", http.StatusTeapot)
			return
		}
		io.WriteString(w, index(good))
	})
	r := Registry{server.URL + "/registry.json", filepath.Join(t.TempDir(), "new", "registry.json")}
	if got := r.Kept(); len(got.Entries) > 0 || !got.Fetched.IsZero() {
		t.Errorf("got %+v", got)
	}
	x := must.Get(r.Fetch(t.Context()))(t)
	kept := r.Kept()
	if ids(x) != "good" || ids(kept) != "good" || !kept.Fetched.Equal(x.Fetched) || time.Since(kept.Fetched) > time.Minute {
		t.Errorf("%+v, %+v", x, kept)
	}
	fail = true
	if _, err := r.Fetch(t.Context()); err == nil || !strings.Contains(err.Error(), "418") {
		t.Error(err)
	}
	if kept := r.Kept(); ids(kept) != "good" {
		t.Errorf("%+v", kept)
	}
	server.Close()
	if _, err := r.Fetch(t.Context()); err == nil || strings.Count(err.Error(), server.Listener.Addr().String()) != 1 {
		t.Errorf("the address is not there once: %v", err)
	}
	other := Registry{"https://example.com/registry.json", r.File}
	if got := other.Kept(); len(got.Entries) > 0 || !got.Fetched.IsZero() {
		t.Errorf("the index of another registry is used: %+v", got)
	}
	must.Do(t, os.WriteFile(r.File, []byte("{"), 0o600))
	if got := r.Kept(); len(got.Entries) > 0 || !got.Fetched.IsZero() {
		t.Errorf("got %+v", got)
	}
}

// endless answers without an end.
func endless(w http.ResponseWriter, r *http.Request) {
	io.WriteString(w, `{"agents": [`)
	for chunk := strings.Repeat(" ", 1<<16); r.Context().Err() == nil; {
		if _, err := io.WriteString(w, chunk); err != nil {
			return
		}
	}
}

func TestFetchIsBounded(t *testing.T) {
	r := Registry{serve(t, endless).URL, filepath.Join(t.TempDir(), "f")}
	if _, err := r.Fetch(t.Context()); err == nil || !strings.Contains(err.Error(), "larger than 8 MB") {
		t.Error(err)
	}
	silent := serve(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("stopped"))
	if _, err := (&Registry{silent.URL, r.File}).Fetch(ctx); err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Error(err)
	}
}

func TestURLs(t *testing.T) {
	for url, good := range map[string]bool{
		DefaultURL: true, "http://127.0.0.1:8/x": true, "http://localhost/x": true, "http://[::1]/": true, "https://example.com": true,
		"http://example.com": false, "http://localhost.example.com": false, "http://127.0.0.1.example.com": false, "ftp://example.com": false, "https://": false, "x": false, "https://a@b/": false, "https://a/\x1b": false,
	} {
		if err := CheckURL(url); (err == nil) != good {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestRedirects(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		w.Header().Set("Content-Length", "4")
		io.WriteString(w, "good")
	})
	for to, want := range map[string]string{"/": "", "http://example.invalid/": "is not https", "file:///elsewhere": "not a valid URL", "/?to=/?to=/": "", "?to=%3F": ""} {
		size, err := Size(t.Context(), server.URL+"/?to="+to)
		if want == "" && (err != nil || size != 4) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %d, %v", to, size, err)
		}
	}
	tls := httptest.NewTLSServer(http.RedirectHandler(server.URL, http.StatusFound))
	defer tls.Close()
	old := client.Transport
	client.Transport = tls.Client().Transport
	defer func() { client.Transport = old }()
	if _, err := Size(t.Context(), tls.URL); err == nil || !strings.Contains(err.Error(), "from https to http") {
		t.Error(err)
	}
}

// The registry's own entries are understood.
func TestOfficialEntries(t *testing.T) {
	dir := os.Getenv("ACP_REGISTRY_DIR")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "registry")
	}
	data, err := os.ReadFile(filepath.Join(dir, "registry.json"))
	if err != nil {
		t.Skipf("the official index is absent, set ACP_REGISTRY_DIR: %v", err)
	}
	x := must.Get(decode(data))(t)
	var raw struct{ Agents []json.RawMessage }
	must.Do(t, json.Unmarshal(data, &raw))
	if len(x.Entries) != len(raw.Agents) || len(x.Wrong) > 0 {
		t.Errorf("%d of %d entries, %q", len(x.Entries), len(raw.Agents), x.Wrong)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(index(good)))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := decode(data)
		if err != nil {
			return
		}
		for _, e := range x.Entries {
			if all := e.Name + e.Description + e.License + e.ID + e.Version; safetext.Clean(all) != all {
				t.Errorf("%q", all)
			}
		}
	})
}

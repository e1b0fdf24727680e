package installs

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/internal/agents"
	"parley/internal/must"
	"parley/internal/registry"
)

// member is one of an archive.
type member struct {
	kind       byte // of tar
	name, text string
	link       string
	mode       int64
}

func file(name, text string) member { return member{tar.TypeReg, name, text, "", 0o755} }
func link(name, to string) member   { return member{tar.TypeSymlink, name, "", to, 0o777} }

func tarGz(t *testing.T, members ...member) []byte {
	t.Helper()
	var out bytes.Buffer
	gz := gzip.NewWriter(&out)
	w := tar.NewWriter(gz)
	for _, m := range members {
		must.Do(t, w.WriteHeader(&tar.Header{Typeflag: m.kind, Name: m.name, Linkname: m.link, Mode: m.mode, Size: int64(len(m.text))}))
		must.Get(io.WriteString(w, m.text))(t)
	}
	must.Do(t, w.Close())
	must.Do(t, gz.Close())
	return out.Bytes()
}

func zipped(t *testing.T, members ...member) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		h.SetMode(fs.FileMode(m.mode))
		text := m.text
		switch m.kind {
		case tar.TypeSymlink:
			h.SetMode(fs.ModeSymlink | 0o777)
			text = m.link
		case tar.TypeChar:
			h.SetMode(fs.ModeDevice | fs.ModeCharDevice)
		}
		f := must.Get(w.CreateHeader(h))(t)
		must.Get(io.WriteString(f, text))(t)
	}
	must.Do(t, w.Close())
	return out.Bytes()
}

// served is a server of files by their names.
func served(t *testing.T, files map[string][]byte) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		w.Write(data)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

func entryOf(url, command string) registry.Entry {
	return registry.Entry{ID: "agent", Name: "Agent", Version: "1.0.0", License: "MIT", Binary: map[string]registry.Target{Platform(): {Archive: url, Command: command, Args: []string{"--acp"}}}}
}

func answers(context.Context, agents.Agent) error { return nil }

func silent(Progress) {}

// install installs an entry in a store.
func install(t *testing.T, s Store, e registry.Entry, try func(context.Context, agents.Agent) error) (Installed, error) {
	t.Helper()
	p, err := NewPlan(t.Context(), s, e, Options{})
	if err != nil {
		return Installed{}, err
	}
	return p.Install(t.Context(), false, silent, try)
}

// left returns what is in the store, but for locks.
func left(t *testing.T, s Store) string {
	t.Helper()
	var all []string
	filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(s.Dir, path); err == nil && rel != "." && !d.IsDir() && d.Name() != lockFile {
			all = append(all, filepath.ToSlash(rel))
		}
		return nil
	})
	return strings.Join(all, " ")
}

func TestArchives(t *testing.T) {
	members := []member{{tar.TypeDir, "bin/", "", "", 0o755}, {tar.TypeReg, "bin/agent", "#!/bin/sh\n", "", 0o644}, file("lib/deep/er/data", "data"), {tar.TypeReg, "setuid", "x", "", 0o4777}}
	if runtime.GOOS != "windows" {
		members = append(members, link("lib/agent", "../bin/agent"))
	}
	url := served(t, map[string][]byte{"a.tar.gz": tarGz(t, members...), "a.TGZ": tarGz(t, members...), "a.zip": zipped(t, members...), "bin": []byte("#!/bin/sh\n")})
	for _, name := range []string{"a.tar.gz", "a.TGZ", "a.zip?x=y", "bin"} {
		s := Store{t.TempDir()}
		i, err := install(t, s, entryOf(url+name, "bin/agent"), answers)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		a := i.Agent()
		info := must.Get(os.Stat(a.Command))(t)
		if data, _ := os.ReadFile(a.Command); string(data) != "#!/bin/sh\n" || runtime.GOOS != "windows" && info.Mode().Perm()&0o700 != 0o700 {
			t.Errorf("%s: %q, %v", name, data, info.Mode())
		}
		if name == "bin" {
			continue
		}
		files := filepath.Join(i.Dir, filesDir)
		if data, _ := os.ReadFile(filepath.Join(files, "lib", "deep", "er", "data")); string(data) != "data" {
			t.Errorf("%s: %q", name, data)
		}
		if info := must.Get(os.Stat(filepath.Join(files, "setuid")))(t); info.Mode()&(fs.ModeSetuid|0o077) != 0 && runtime.GOOS != "windows" {
			t.Errorf("%s: %v", name, info.Mode())
		}
		if a.Source != agents.Installed || a.Args[0] != "--acp" || a.Version != "1.0.0" || i.License != "MIT" {
			t.Errorf("%s: %+v", name, a)
		}
		if strings.Contains(left(t, s), "download") {
			t.Errorf("%s: %s", name, left(t, s))
		}
	}
}

// An archive that tries to leave its directory, or that is not what it seems, leaves nothing.
func TestHostileArchives(t *testing.T) {
	good := file("agent", "x")
	outside := t.TempDir()
	for name, members := range map[string][]member{
		"a path that leaves":           {good, file("../escaped", "x")},
		"a deep path that leaves":      {good, file("a/b/../../../escaped", "x")},
		"an absolute path":             {good, file(filepath.ToSlash(filepath.Join(outside, "escaped")), "x")},
		"a path with backslashes":      {good, file(`..\escaped`, "x")},
		"a control character":          {good, file("a\x1b[2J", "x")},
		"a link that leaves":           {good, link("l", "../escaped")},
		"an absolute link":             {good, link("l", filepath.ToSlash(outside))},
		"a file through a link":        {good, link("l", "../../.."), file("l/escaped", "x")},
		"links that leave together":    {good, {tar.TypeDir, "d/", "", "", 0o755}, link("d/up", ".."), link("out", "d/up/../../escaped")},
		"a link to nowhere":            {good, link("l", "nowhere")},
		"a link to itself":             {good, link("l", "l")},
		"a file twice":                 {good, file("agent", "y")},
		"a file over a link":           {good, link("l", "agent"), file("l", "y")},
		"a device":                     {good, {tar.TypeChar, "null", "", "", 0o666}},
		"a pipe":                       {good, {tar.TypeFifo, "pipe", "", "", 0o666}},
		"a hard link that leaves":      {good, {tar.TypeLink, "l", "", "../../../../selected.json", 0o666}},
		"a hard link to a link":        {good, link("l", "agent"), {tar.TypeLink, "h", "", "l", 0o666}},
		"no program":                   {file("other", "x")},
		"a directory for a program":    {{tar.TypeDir, "agent/", "", "", 0o755}},
		"a program that links outside": {link("agent", "/bin/sh")},
	} {
		archives := map[string][]byte{"a.tar.gz": tarGz(t, members...)}
		if last := members[len(members)-1].kind; last != tar.TypeFifo && last != tar.TypeLink {
			archives["a.zip"] = zipped(t, members...)
		}
		url := served(t, archives)
		for archive := range archives {
			dir := t.TempDir()
			s := Store{filepath.Join(dir, "agents")}
			if i, err := install(t, s, entryOf(url+archive, "agent"), answers); err == nil {
				t.Errorf("%s in %s: %+v", name, archive, i)
			}
			if got := left(t, s); got != "" {
				t.Errorf("%s in %s leaves %s", name, archive, got)
			}
			for _, place := range []string{dir, outside, filepath.Dir(dir)} {
				if _, err := os.Lstat(filepath.Join(place, "escaped")); err == nil {
					t.Errorf("%s in %s escapes to %s", name, archive, place)
				}
			}
		}
	}
}

func TestBombs(t *testing.T) {
	defer func(d, u int64, f int) { maxDownload, maxUnpacked, maxFiles = d, u, f }(maxDownload, maxUnpacked, maxFiles)
	maxDownload, maxUnpacked, maxFiles = 1<<20, 4<<20, 50
	zeros := strings.Repeat("\x00", 3<<20)
	var many []member
	for i := range 60 {
		many = append(many, file(fmt.Sprint(i), "x"))
	}
	files := map[string][]byte{
		"one.tar.gz": tarGz(t, file("agent", zeros+zeros)), "two.tar.gz": tarGz(t, file("agent", zeros), file("b", zeros)), "many.tar.gz": tarGz(t, many...),
		"one.zip": zipped(t, file("agent", zeros+zeros)), "two.zip": zipped(t, file("agent", zeros), file("b", zeros)), "many.zip": zipped(t, many...),
		"large.bin": bytes.Repeat([]byte("x"), 2<<20), "cut.tar.gz": tarGz(t, file("agent", "x"))[:40], "no.zip": []byte("PK no"), "no.tar.bz2": []byte("BZh no"), "a.tar.xz": nil, "a.dmg": nil,
	}
	url := served(t, files)
	for name := range files {
		s := Store{t.TempDir()}
		if _, err := install(t, s, entryOf(url+name, "agent"), answers); err == nil || left(t, s) != "" {
			t.Errorf("%s: %v, leaves %s", name, err, left(t, s))
		}
	}
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Method != http.MethodHead && r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}))
	defer endless.Close()
	if _, err := install(t, Store{t.TempDir()}, entryOf(endless.URL+"/x", "agent"), answers); err == nil || !strings.Contains(err.Error(), "larger than 1 MB") {
		t.Error(err)
	}
}

func TestChecksum(t *testing.T) {
	data := tarGz(t, file("agent", "x"))
	sum := sha256.Sum256(data)
	right := hex.EncodeToString(sum[:])
	url := served(t, map[string][]byte{"a.tar.gz": data})
	for checksum, says := range map[string]string{"": "none in the registry", right: right, strings.Repeat("0", 64): ""} {
		e := entryOf(url+"a.tar.gz", "agent")
		target := e.Binary[Platform()]
		target.SHA256 = checksum
		e.Binary[Platform()] = target
		s := Store{t.TempDir()}
		p := must.Get(NewPlan(t.Context(), s, e, Options{}))(t)
		i, err := p.Install(t.Context(), false, silent, answers)
		if says == "" {
			if err == nil || !strings.Contains(err.Error(), "the registry says 000") {
				t.Error(err)
			}
			continue
		}
		facts := fmt.Sprint(p.Facts("", "--scripts"))
		if err != nil || i.SHA256 != right || !strings.Contains(facts, says) {
			t.Errorf("%v, %+v, %s", err, i, facts)
		}
		for _, want := range []string{"Agent 1.0.0", url + "a.tar.gz", s.Dir, fmt.Sprintf("%d B", len(data)), "MIT", "agent --acp"} {
			if !strings.Contains(facts, want) {
				t.Errorf("no %q in %s", want, facts)
			}
		}
	}
}

// The old version stays until the new one has answered.
func TestVersions(t *testing.T) {
	url := served(t, map[string][]byte{"a.tar.gz": tarGz(t, file("agent", "x"))})
	s := Store{t.TempDir()}
	at := func(version string, try func(context.Context, agents.Agent) error) (Installed, error) {
		e := entryOf(url+"a.tar.gz", "agent")
		e.Version = version
		return install(t, s, e, try)
	}
	must.Get(at("1.0.0", answers))(t)
	_, err := at("2.0.0", func(_ context.Context, a agents.Agent) error {
		if used := must.Get(s.Find("agent"))(t); used.Version != "1.0.0" || a.Version != "2.0.0" {
			t.Errorf("%s is used while %s is tried", used.Version, a.Version)
		}
		return errors.New("it is broken")
	})
	used := must.Get(s.Find("agent"))(t)
	if err == nil || !strings.Contains(err.Error(), "it is broken") || used.Version != "1.0.0" || strings.Contains(left(t, s), "2.0.0") {
		t.Errorf("%v, %+v, %s", err, used, left(t, s))
	}
	for _, version := range []string{"2.0.0", "3.0.0", "3.1.0-beta.1"} {
		must.Get(at(version, answers))(t)
	}
	if used = must.Get(s.Find("agent"))(t); strings.Join(s.Versions(used), " ") != "3.1.0-beta.1 3.0.0" {
		t.Errorf("%q", s.Versions(used))
	}
	must.Do(t, s.Use("agent", "3.0.0", true))
	if used = must.Get(s.Find("agent"))(t); used.Version != "3.0.0" || !used.Pinned || len(s.Versions(used)) != 2 {
		t.Errorf("%+v", used)
	}
	must.Do(t, s.Remove("agent", "3.0.0"))
	if used = must.Get(s.Find("agent"))(t); used.Version != "3.1.0-beta.1" || used.Pinned {
		t.Errorf("%+v", used)
	}
	must.Do(t, s.Remove("agent", ""))
	if _, err := s.Find("agent"); !errors.Is(err, ErrNotInstalled) || left(t, s) != "" {
		t.Errorf("%v, %s", err, left(t, s))
	}
	for _, id := range []string{"agent", "../agent", "", "."} {
		if s.Remove(id, "") == nil || s.Use(id, "1.0.0", false) == nil {
			t.Errorf("%q can be removed", id)
		}
	}
	if s.Remove("agent", "..") == nil {
		t.Error("a version can leave the store")
	}
}

// Only one parley installs an agent at a time, and none where a project could replace it.
func TestStoreIsKept(t *testing.T) {
	s := Store{t.TempDir()}
	unlock := must.Get(s.lock("agent"))(t)
	if _, err := s.lock("agent"); runtime.GOOS != "windows" && err == nil {
		t.Error("locked twice")
	}
	unlock()
	project := t.TempDir()
	t.Chdir(project)
	if _, err := (Store{filepath.Join(project, "agents")}).lock("agent"); err == nil || !strings.Contains(err.Error(), "set PARLEY_STATE") {
		t.Error(err)
	}
	must.Do(t, os.MkdirAll(filepath.Join(s.Dir, "agent", "1.0.0"), 0o700))
	for _, text := range []string{"", "{", `{"id": "other", "version": "1.0.0", "program": "x"}`, `{"id": "agent", "version": "1.0.0", "program": "../x"}`, `{"id": "agent", "version": "1.0.0", "program": "/x"}`} {
		must.Do(t, os.WriteFile(filepath.Join(s.Dir, "agent", "1.0.0", recordFile), []byte(text), 0o600))
		must.Do(t, os.WriteFile(filepath.Join(s.Dir, "agent", selectedFile), []byte(`{"version": "1.0.0"}`), 0o600))
		if all := s.List(); len(all) > 0 {
			t.Errorf("%s: %+v", text, all)
		}
	}
}

func TestStops(t *testing.T) {
	started := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			return
		}
		w.Write(make([]byte, 1<<16))
		w.(http.Flusher).Flush()
		close(started)
		<-r.Context().Done()
	}))
	defer server.Close()
	s := Store{t.TempDir()}
	p := must.Get(NewPlan(t.Context(), s, entryOf(server.URL+"/a.zip", "agent"), Options{}))(t)
	ctx, stop := context.WithCancelCause(t.Context())
	go func() { <-started; stop(errors.New("stopped")) }()
	if _, err := p.Install(ctx, false, silent, answers); err == nil || !strings.Contains(err.Error(), "stopped") || left(t, s) != "" {
		t.Errorf("%v, %s", err, left(t, s))
	}
}

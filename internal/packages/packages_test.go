package packages

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

// made returns the one file of the release whose name ends so.
func made(t *testing.T, end string) string {
	t.Helper()
	dist := os.Getenv("PARLEY_DIST")
	if dist == "" {
		t.Skip("PARLEY_DIST names no directory with a release")
	}
	files := must.Get(filepath.Glob(filepath.Join(dist, "*"+end)))(t)
	if len(files) != 1 {
		t.Fatalf("%d files end with %s in %s", len(files), end, dist)
	}
	return must.Get(filepath.Abs(files[0]))(t)
}

func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	return path
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "PARLEY_STATE=", "PARLEY_CONFIG=", "XDG_STATE_HOME=", "XDG_CONFIG_HOME=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// starts checks that an installed parley answers as a new user's first one would.
func starts(t *testing.T, parley string) {
	t.Helper()
	if v := run(t, parley, "--version"); !strings.HasPrefix(v, "parley version v") || !strings.Contains(v, "commit ") || !strings.Contains(v, runtime.Version()) {
		t.Errorf("it is %s", v)
	}
	if answer := run(t, parley, "run", "--agent", "demo", "help"); !strings.Contains(answer, "hunks") {
		t.Errorf("the demo answers %s", answer)
	}
}

// has checks that files are below a directory.
func has(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestArchive(t *testing.T) {
	archive := made(t, "_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz")
	dir := t.TempDir()
	run(t, need(t, "tar"), "xzf", archive, "-C", dir)
	has(t, dir, "LICENSE", "README.md", "CHANGELOG.md", "parley.1", "completions/parley.bash", "completions/_parley", "completions/parley.fish", "completions/parley.ps1")
	starts(t, filepath.Join(dir, "parley"))
}

// The zip for Windows has what PowerShell needs.
func TestZip(t *testing.T) {
	z := must.Get(zip.OpenReader(made(t, "_windows_"+runtime.GOARCH+".zip")))(t)
	defer z.Close()
	for name, has := range map[string]string{"parley.exe": "MZ", "completions/parley.ps1": "Register-ArgumentCompleter"} {
		f := must.Get(z.Open(name))(t)
		if text := must.Get(io.ReadAll(f))(t); !bytes.Contains(text, []byte(has)) {
			t.Errorf("%s has no %s", name, has)
		}
		f.Close()
	}
}

// Every kind of package is made.
func TestKinds(t *testing.T) {
	rpm := made(t, "_linux_"+runtime.GOARCH+".rpm")
	made(t, "_linux_"+runtime.GOARCH+".apk")
	made(t, "_linux_"+runtime.GOARCH+".pkg.tar.zst")
	if !bytes.Contains(must.Get(os.ReadFile(rpm))(t), []byte("localhost\x00")) {
		t.Error("the rpm names the machine that made it")
	}
	dist := filepath.Dir(rpm)
	has(t, dist, "homebrew/Casks/parley.rb", "scoop/parley.json", "aur/parley-bin.pkgbuild", "aur/parley-bin.srcinfo")
	if manifests := must.Get(filepath.Glob(filepath.Join(dist, "winget/manifests/p/parley/parley/*/*.yaml")))(t); len(manifests) != 3 {
		t.Errorf("winget has %q", manifests)
	}
	if _, err := exec.LookPath("nix-hash"); err == nil { // goreleaser leaves nix out without it
		has(t, dist, "nix/pkgs/parley/default.nix")
	}
}

// Each archive has a list of what is linked on its platform.
func TestContents(t *testing.T) {
	dist := filepath.Dir(made(t, "artifacts.json"))
	lists := must.Get(filepath.Glob(filepath.Join(dist, "*.cdx.json")))(t)
	if archives := append(must.Get(filepath.Glob(filepath.Join(dist, "*.tar.gz")))(t), must.Get(filepath.Glob(filepath.Join(dist, "*.zip")))(t)...); len(lists) != len(archives) {
		t.Errorf("%d lists of %d archives", len(lists), len(archives))
	}
	for _, list := range lists {
		var of struct {
			Metadata struct {
				Component struct{ PURL string }
			}
			Components []struct{ Name string }
		}
		must.Do(t, json.Unmarshal(must.Get(os.ReadFile(list))(t), &of))
		_, platform, _ := strings.Cut(of.Metadata.Component.PURL, "goos=")
		platform = strings.Replace(platform, "&goarch=", "_", 1)
		if !strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(list, ".cdx.json"), ".zip"), ".tar.gz"), "_"+platform) || len(of.Components) < 10 {
			t.Errorf("%s is of %d modules on %q", filepath.Base(list), len(of.Components), platform)
		}
	}
}

func TestDeb(t *testing.T) {
	deb := made(t, "_"+runtime.GOOS+"_"+runtime.GOARCH+".deb")
	dpkg := need(t, "dpkg")
	root := t.TempDir()
	if os.Getuid() == 0 {
		for _, dir := range []string{"info", "updates", "triggers"} {
			must.Do(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755))
		}
		must.Do(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644))
		run(t, dpkg, "--root="+root, "--force-depends", "--force-script-chrootless", "-i", deb)
		if state := run(t, dpkg, "--root="+root, "-s", "parley"); !strings.Contains(state, "Status: install ok installed") {
			t.Error(state)
		}
	} else {
		run(t, dpkg, "-x", deb, root)
	}
	has(t, root, "usr/share/man/man1/parley.1.gz", "usr/share/bash-completion/completions/parley", "usr/share/zsh/site-functions/_parley",
		"usr/share/fish/vendor_completions.d/parley.fish", "usr/share/doc/parley/copyright")
	starts(t, filepath.Join(root, "usr/bin/parley"))
}

// What npm installs from the packages starts the program of this platform.
func TestNpm(t *testing.T) {
	made(t, "artifacts.json")
	npm := need(t, "npm")
	goTool := need(t, "go")
	out := filepath.Join(t.TempDir(), "npm")
	repository := must.Get(filepath.Abs("../.."))(t)
	pack := exec.Command(goTool, "run", "./internal/npmpack", must.Get(filepath.Abs(os.Getenv("PARLEY_DIST")))(t), "0.0.1", "example", out)
	pack.Dir = repository
	if said, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	system := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if system == "" {
		system = runtime.GOARCH
	}
	into := t.TempDir()
	run(t, npm, "install", "--offline", "--no-audit", "--no-fund", "--install-links", "--prefix", into, filepath.Join(out, "parley-"+runtime.GOOS+"-"+system), filepath.Join(out, "parley"))
	starts(t, filepath.Join(into, "node_modules", ".bin", "parley"))
}

// What is made once more, somewhere else, has the same bytes.
func TestReproducible(t *testing.T) {
	archive := made(t, "_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz")
	again := os.Getenv("PARLEY_DIST_AGAIN")
	if again == "" {
		t.Skip("PARLEY_DIST_AGAIN names no second release")
	}
	// Lists of contents have a serial number and the time.
	sums := func(dir string) (lines []string) {
		for line := range strings.Lines(string(must.Get(os.ReadFile(filepath.Join(dir, "checksums.txt")))(t))) {
			if !strings.HasSuffix(line, ".cdx.json\n") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	if first, second := sums(filepath.Dir(archive)), sums(again); len(first) < 5 || !slices.Equal(first, second) {
		t.Errorf("got\n%s\nand\n%s", first, second)
	}
}

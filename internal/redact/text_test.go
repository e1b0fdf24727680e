package redact

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Texts that only resemble a secret stay unchanged, so that logs remain readable.
func TestNearMisses(t *testing.T) {
	f := secretMaker{rand.New(rand.NewPCG(3, 4))}
	image := f.of(standard, 4000)
	for _, s := range []string{
		// Hashes, ids, encodings.
		f.of(hexes, 40), "commit " + f.of(hexes, 40) + " (HEAD)", "sha256:" + f.of(hexes, 64), "h1:" + f.of(standard, 43) + "=", "sha512-" + f.of(standard, 86) + "==",
		f.uuid(), "task-" + f.uuid(), "toolu_01" + f.of(base62, 22), "call_" + f.of(base62, 24), "sess-" + f.of(base62, 20), "data:image/png;base64," + image,
		// Names.
		"sk-learn", "sk-toolbox", "sk-learn-contrib-of-the-whole-team", "task-force", "disk-usage-of-the-whole-volume-2024", "risk-" + f.of(base62, 30), "ask-me-anything-about-it",
		"npm_config_registry", "npm_package_dependencies_of_the_project", "hf_hub_download", "ghp_token_goes_here", "glpat-xxxxxxxxxxxxxxxxxxxx", "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"secret_santa", "gsk_the_name_of_a_function_that_is_long", "xai-the-name-of-a-package-that-is-long", "key-value", "cache-key-" + f.of(hexes, 32), "en-us", "AKIAIOSFODNN", "AIzawa", "eyJ",
		"figd_", "pk_test", "SG.Parameters", "SKILL.md", "ACCESS", "v1.0-beta", "api-gateway", "pul-request", "data.table", "dp.portfolio", "sl.select", "hvs.example",
		// Code.
		"token = next()", "token := lexer.Next(2)", "tokens := strings.Fields(s)", "if token == nil {", "password: string;", "password=password", "const secret = getSecret(id)", "apiKey: process.env.API_KEY",
		"api_key=os.environ['API_KEY2024']", `token: "identifier"`, "cookie.Path = cookiePath2", "max_tokens: 4096", `{"inputTokens":12,"outputTokens":34}`, `"tokenizer": "gpt2-bpe-50k"`, "secretName: my-secret-1-of-2",
		"std::token::parse2nd4th", "Bearer authentication", "the bearer of this letter", "authorization: required", "authorization: 401 with scope", "private key of the user", "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----",
		// References to secrets, and their locations.
		"TOKEN=$TOKEN", "TOKEN=${GITHUB_TOKEN}", `export TOKEN="$(cat token)"`, "PASSWORD=<your password>", "token: ${{ secrets.GITHUB_TOKEN }}", "Authorization: Bearer $TOKEN", "Authorization: Bearer <token>",
		`curl -H "Authorization: Bearer ${TOKEN}" https://h/`, "curl -u $USER:$PASSWORD https://h/", "docker run -u 1000:1000 image", "--token-file ./token", "TOKEN_FILE=/run/secrets/token2", `"TOKEN="+header`, "%s?key=%s", "pass --token to set it",
		// URLs.
		"https://example.com/a?b=c&d=e#f", "git+ssh://git@github.com/a/b.git", "https://h/search?q=token", "mailto:ada@example.com", "see https://h/ or ask ada@example.com", "?max_tokens=10&key=", "if x && key==y?",
		// Passwords and options of programs that only look alike.
		"PWD=/home/ada", `{"pwd":"/home/ada"}`, "bypass=enabled2nd4", "compass: 'north2west3'", "first_pass = run2nd3rd()", "docker run -p 8080:80 image", "docker login -u ada registry", "docker login -p $PASS h", "ssh -p 22 h",
		"kubectl create configmap x --from-file=a", "mkdir -p a/b", "7z l out.7z", "openssl x509 -in a -out b", "curl -k https://h/", "curl -b cookies.txt https://h/", "zip -r out.zip dir", "gh secret list", "<password></password>",
		"a <token> b </token-of-more>", "the vault login command", "cp -p a b", "echo done | sudo tee f", "fc-list", "key_of_the_map", "re_export", "as-is", "fw_update", "pa-per", "LastToken = 0x10FFFD", `{"key":"name","value":"Ada"}`,
		"ports: 5432:5432", "the default login page with a password",
	} {
		if got := Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// The project's own code and documents, which are full of such words, stay unchanged.
func TestOwnText(t *testing.T) {
	lines := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "redact"):
			return fs.SkipDir
		case d.IsDir(), strings.HasSuffix(path, "_test.go"), filepath.Ext(path) != ".go" && filepath.Ext(path) != ".md":
			return nil
		}
		content, err := os.ReadFile(path)
		for line := range strings.Lines(string(content)) {
			lines++
			example := strings.Contains(line, "connect with: AUTH=") || strings.Contains(line, "https://user:secret@host")
			if got := Text(line); got != line && !example {
				t.Errorf("%s: %q became %q", path, line, got)
			}
		}
		return err
	})
	if err != nil || lines < 50_000 {
		t.Errorf("%d lines: %v", lines, err)
	}
}

// Names before a value in conversation and in a command.
func TestNames(t *testing.T) {
	for _, c := range []struct{ in, text, command string }{
		{"DB_PASSWORD=hunter2 ./run", "DB_PASSWORD=[redacted] ./run", "DB_PASSWORD=[redacted] ./run"},
		{`export SECRET_KEY_BASE="a b"`, `export SECRET_KEY_BASE="[redacted]"`, `export SECRET_KEY_BASE="[redacted]"`},
		{`password = "hunter42"`, `password = "[redacted]"`, `password = "[redacted]"`},
		{"password: hunter2", "password: hunter2", "password: [redacted]"},
		{"login --password=hunter2", "login --password=[redacted]", "login --password=[redacted]"},
		{"login --password hunter2", "login --password hunter2", "login --password [redacted]"},
		{"aws_secret_access_key a", "aws_secret_access_key a", "aws_secret_access_key a"},
		{`{\"apiKey\": \"a1b2c3d4e5\"}`, `{\"apiKey\": \"[redacted]\"}`, `{\"apiKey\": \"[redacted]\"}`},
		{"env['API_KEY'] = 'a1b2c3d4'", "env['API_KEY'] = '[redacted]'", "env['API_KEY'] = '[redacted]'"},
		{"client_secret => 'a1b2c3d4'", "client_secret => '[redacted]'", "client_secret => '[redacted]'"},
		{"a?access_token=x&b=c", "a?access_token=[redacted]&b=c", "a?access_token=[redacted]&b=c"},
		{"grant=x&client_secret=y&z=1", "grant=x&client_secret=[redacted]&z=1", "grant=x&client_secret=[redacted]&z=1"},
		{"curl -H 'Cookie: sid=abcdef; c=d' h", "curl -H 'Cookie: [redacted]' h", "curl -H 'Cookie: [redacted]' h"},
		{"curl --user=ada:secret h", "curl --user=[redacted] h", "curl --user=[redacted] h"},
		{"curl -uada:secret h", "curl -u[redacted] h", "curl -u[redacted] h"},
		{`curl -u "ada:se cret" h`, `curl -u "[redacted]" h`, `curl -u "[redacted]" h`},
		{"sshpass -p hunter2 ssh h", "sshpass -p [redacted] ssh h", "sshpass -p [redacted] ssh h"},
		{"PASSWORD=$ecret", "PASSWORD=$ecret", "PASSWORD=$ecret"},
		{"PASSWORD='$ecret'", "PASSWORD='[redacted]'", "PASSWORD='[redacted]'"},
		{"token=[redacted]", "token=[redacted]", "token=[redacted]"},
	} {
		if got := Text(c.in); got != c.text {
			t.Errorf("%q became %q in a text, want %q", c.in, got, c.text)
		}
		if got := Command(c.in); got != c.command {
			t.Errorf("%q became %q in a command, want %q", c.in, got, c.command)
		}
	}
}

// Each piece of a streamed secret is examined separately: pieces that still have its shape
// are removed, and the rest stays.
func TestPieces(t *testing.T) {
	f := secretMaker{rand.New(rand.NewPCG(5, 6))}
	for _, begin := range []string{"ghp_", "sk-ant-api03-", "xoxb-", "glpat-"} {
		head, tail := begin+f.of(base62, 20), f.of(base62, 16)
		if got := Text("it is " + head); got != "it is [redacted]" {
			t.Errorf("got %q", got)
		}
		if got := Text(tail + " it is"); got != tail+" it is" {
			t.Errorf("got %q", got)
		}
	}
}

func TestWords(t *testing.T) {
	in := []string{"curl", "-u", "ada:secret", "--user", "1:2", "--token", "t", "--max-tokens", "9", "-H", "Authorization: Basic x", "--api-key=k", "--password", "$PASSWORD", "--token-file", "f"}
	want := []string{"curl", "-u", "[redacted]", "--user", "1:2", "--token", "[redacted]", "--max-tokens", "9", "-H", "Authorization: [redacted]", "--api-key=[redacted]", "--password", "$PASSWORD", "--token-file", "f"}
	before := slices.Clone(in)
	if got := Words(in); !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	if !slices.Equal(in, before) {
		t.Error("the words were changed in place")
	}
}

// BenchmarkHostile measures a text made of the prefixes of secrets, the most expensive
// kind.
func BenchmarkHostile(b *testing.B) {
	for _, word := range []string{"token=", "xoxb-=", ":aa", "tk-us-", " --proxy-user ", "a://", "-----BEGIN ", "echo a", "docker login ", "curl -b "} {
		b.Run(word, func(b *testing.B) {
			s := strings.Repeat(word, 64<<10/len(word))
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Text(s)
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	s := strings.Repeat("a few words of an answer about the tokens of a parser, and what becomes of them; ", 100)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Text(s)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"token=abc --secret 'x' https://u:p@h?key=1", `{"password": "`, "curl -u a:b", "-----BEGIN PRIVATE KEY-----", "\x1b[1mTOKEN=abc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		safe := Text(s)
		if again := Text(safe); strings.Count(again, Mark) < strings.Count(safe, Mark) {
			t.Fatalf("%q became %q, then %q", s, safe, again)
		}
		raw := AppendString(nil, s)
		if text := strings.ToValidUTF8(s, "\ufffd"); text == s && Text(text) != text && !suspect(raw[1:len(raw)-1]) {
			t.Fatalf("%q becomes %q, but suspect reports false", s, Text(text))
		}
	})
}

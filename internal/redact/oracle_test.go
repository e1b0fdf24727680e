package redact

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Alphabets of invented secrets.
const (
	digits   = "0123456789"
	hexes    = digits + "abcdef"
	lowers   = "abcdefghijklmnopqrstuvwxyz"
	uppers   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	base32   = uppers + "234567"
	base62   = digits + lowers + uppers
	urlsafe  = base62 + "-_"
	standard = base62 + "+/"
)

// secretMaker makes the tails of secrets. They are not in the source, so that secret scanners find
// none there.
type secretMaker struct{ *rand.Rand }

// of returns n letters, the last a letter or digit: a trailing dash could belong to the
// following text. One of ten or more has a digit if the alphabet has: without one it may be a word.
func (f secretMaker) of(alphabet string, n int) string {
	for {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[f.IntN(len(alphabet))]
		}
		if s := string(b); strings.ContainsAny(s[:1]+s[n-1:], "-_+/") || n >= 10 && strings.ContainsAny(alphabet, digits) && !strings.ContainsAny(s, digits) {
			continue
		}
		return string(b)
	}
}

// sample is a secret, and the text that identifies it if that is longer.
type sample struct{ text, secret string }

func alone(s string) sample { return sample{s, s} }

// simple are shapes that consist of a prefix and a tail.
var simple = []struct {
	name, begin, alphabet string
	n                     int
}{
	{"GitHub personal", "ghp_", base62, 36}, {"GitHub OAuth", "gho_", base62, 36}, {"GitHub user", "ghu_", base62, 36},
	{"GitHub server", "ghs_", base62, 36}, {"GitHub refresh", "ghr_", base62, 76}, {"GitHub fine-grained", "github_pat_", base62, 82},
	{"GitLab personal", "glpat-", urlsafe, 20}, {"GitLab deploy", "gldt-", urlsafe, 20}, {"GitLab runner", "glrt-", urlsafe, 20},
	{"GitLab trigger", "glptt-", hexes, 40}, {"GitLab agent", "glagent-", urlsafe, 50}, {"GitLab OAuth", "gloas-", urlsafe, 64},
	{"OpenAI", "sk-", base62, 48}, {"OpenAI project", "sk-proj-", urlsafe, 120}, {"OpenAI service", "sk-svcacct-", urlsafe, 120},
	{"Anthropic", "sk-ant-api03-", urlsafe, 93}, {"Anthropic OAuth", "sk-ant-oat01-", urlsafe, 93}, {"OpenRouter", "sk-or-v1-", hexes, 64}, {"DeepSeek", "sk-", hexes, 32},
	{"AWS", "AKIA", base32, 16}, {"AWS session", "ASIA", base32, 16},
	{"Slack legacy", "xoxa-2-", base62, 40}, {"Slack cookie", "xoxd-", base62, 80},
	{"Stripe", "sk_live_", base62, 24}, {"Stripe restricted", "rk_live_", base62, 24}, {"Stripe test", "sk_test_", base62, 99}, {"Stripe publishable", "pk_live_", base62, 24}, {"Stripe webhook", "whsec_", base62, 32},
	{"npm", "npm_", base62, 36}, {"PyPI", "pypi-AgEIcHlwaS5vcmc", urlsafe, 120},
	{"Google", "AIza", urlsafe, 35}, {"Google OAuth", "ya29.", urlsafe, 120}, {"Google client", "GOCSPX-", urlsafe, 28}, {"Google refresh", "1//0", urlsafe, 60},
	{"DigitalOcean", "dop_v1_", hexes, 64}, {"DigitalOcean OAuth", "doo_v1_", hexes, 64},
	{"Twilio", "SK", hexes, 32}, {"Twilio account", "AC", hexes, 32},
	{"Mailgun", "key-", hexes, 32}, {"Square", "sq0atp-", urlsafe, 22}, {"Square secret", "sq0csp-", urlsafe, 43}, {"Square production", "EAAA", urlsafe, 60},
	{"Shopify", "shpat_", hexes, 32}, {"Shopify app", "shpss_", hexes, 32}, {"Databricks", "dapi", hexes, 32}, {"Hugging Face", "hf_", base62, 34},
	{"Linear", "lin_api_", base62, 40}, {"Notion", "ntn_", digits, 46}, {"Notion, old", "secret_", base62, 43}, {"Atlassian", "ATATT3", urlsafe, 186},
	{"Vault", "hvs.", urlsafe, 95}, {"Doppler", "dp.pt.", base62, 43}, {"Doppler service", "dp.st.prd.", base62, 43}, {"Grafana cloud", "glc_", base62, 120},
	{"New Relic", "NRAK-", uppers + digits, 27}, {"Sentry", "sntrys_", base62, 160}, {"Sentry user", "sntryu_", hexes, 64}, {"Figma", "figd_", urlsafe, 40},
	{"Pulumi", "pul-", hexes, 40}, {"Fly", "fo1_", urlsafe, 43}, {"Supabase", "sbp_", hexes, 40}, {"PlanetScale", "pscale_tkn_", urlsafe, 43}, {"PlanetScale password", "pscale_pw_", urlsafe, 43},
	{"age", "AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58}, {"Heroku", "HRKU-AA", urlsafe, 58}, {"Cloudflare", "cfut_", base62, 48}, {"Dropbox", "sl.u.", urlsafe, 130},
	{"Docker", "dckr_pat_", urlsafe, 27}, {"Groq", "gsk_", base62, 52}, {"xAI", "xai-", base62, 80}, {"Replicate", "r8_", base62, 37}, {"Perplexity", "pplx-", base62, 48},
	{"NVIDIA", "nvapi-", urlsafe, 64}, {"Tailscale", "tskey-auth-", base62, 24}, {"CircleCI", "CCIPAT_", base62, 40}, {"SonarQube", "squ_", hexes, 40}, {"RubyGems", "rubygems_", hexes, 48},
	{"Alibaba", "LTAI", base62, 20}, {"Prefect", "pnu_", base62, 36}, {"ReadMe", "rdme_", digits + lowers, 70}, {"Duffel", "duffel_live_", urlsafe, 43},
}

// samples returns a secret of every shape.
func (f secretMaker) samples() map[string]sample {
	all := map[string]sample{}
	for _, s := range simple {
		all[s.name] = alone(s.begin + f.of(s.alphabet, s.n))
	}
	add := func(name string, parts ...string) { all[name] = alone(strings.Join(parts, "")) }
	part := func(name, before, secret, after string) { all[name] = sample{before + secret + after, secret} }
	add("Anthropic, as gitleaks has it", "sk-ant-api03-", f.of(urlsafe, 93), "AA")
	add("Slack bot", "xoxb-", f.of(digits, 12), "-", f.of(digits, 12), "-", f.of(base62, 24))
	add("Slack user", "xoxp-", f.of(digits, 12), "-", f.of(digits, 12), "-", f.of(digits, 12), "-", f.of(hexes, 32))
	add("Slack app, whole", "xapp-1-A", f.of(uppers+digits, 10), "-", f.of(digits, 13), "-", f.of(hexes, 64))
	part("Slack webhook", "https://hooks.slack.com/services/", "T"+f.of(uppers+digits, 10)+"/B"+f.of(uppers+digits, 10)+"/"+f.of(base62, 24), "")
	part("Discord webhook", "https://discord.com/api/webhooks/", f.of(digits, 18)+"/"+f.of(urlsafe, 68), "")
	part("Teams webhook", "https://contoso.webhook.office.com/", "webhookb2/"+f.uuid()+"@"+f.uuid()+"/IncomingWebhook/"+f.of(hexes, 32)+"/"+f.uuid(), "")
	add("Discord bot", "MT", "A", f.of(base62, 23), ".", f.of(base62, 6), ".", f.of(urlsafe, 38))
	add("Telegram bot", "1", f.of(digits, 9), ":AA", f.of(urlsafe, 33))
	add("JSON web token", "eyJ", f.of(base62, 33), ".eyJ", f.of(urlsafe, 140), ".", f.of(urlsafe, 43))
	add("SendGrid", "SG.", f.of(urlsafe, 22), ".", f.of(urlsafe, 43))
	add("Mailchimp", f.of(hexes, 32), "-us", "21")
	add("Grafana service", "glsa_", f.of(base62, 32), "_", f.of(hexes, 8))
	add("Postman", "PMAK-", f.of(hexes, 24), "-", f.of(hexes, 34))
	add("Terraform", f.of(base62, 14), ".atlasv1.", f.of(urlsafe, 67))
	add("Dynatrace", "dt0c01.", f.of(uppers+digits, 24), ".", f.of(uppers+digits, 64))
	add("Azure client", f.of(base62, 3), "8Q~", f.of(base62, 34))
	add("1Password", "A3-", f.of(uppers, 6), "-", f.of(uppers+digits, 11), "-", f.of(uppers, 5), "-", f.of(digits, 5), "-", f.of(uppers, 5))
	add("Brevo", "xkeysib-", f.of(hexes, 64), "-", f.of(base62, 16))
	add("LangSmith", "lsv2_pt_", f.of(hexes, 32), "_", f.of(hexes, 10))
	part("AWS secret", "aws_secret_access_key = ", f.of(standard, 40), "")
	part("Azure storage", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=", f.of(standard, 86)+"==", ";EndpointSuffix=core.windows.net")
	part("Azure SAS", "https://x.blob.core.windows.net/c?sv=2022-11-02&sp=r&sig=", f.of(base62, 40)+"%3D", "&se=2026")
	part("S3 presigned", "https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=", f.of(hexes, 64), "")
	part("private key", "", f.pem("-----", "\n"), "")
	part("private key, escaped", "", f.pem("-----", `\n`), "")
	part("URL", "postgres://app:", f.of(base62, 12), "@db.example.com:5432/app")
	part("curl header", "curl -H 'Authorization: Bearer ", f.of(base62, 24), "' https://api.example.com/")
	part("curl user", "curl -sS -u admin:", f.of(base62, 9), " https://api.example.com/")
	part("variable", "export ACME_API_KEY=", f.of(base62, 16), "")
	part("variable of a command", "DB_PASSWORD=", f.of(lowers, 9), " ./migrate")
	return all
}

func (f secretMaker) uuid() string {
	return f.of(hexes, 8) + "-" + f.of(hexes, 4) + "-" + f.of(hexes, 4) + "-" + f.of(hexes, 4) + "-" + f.of(hexes, 12)
}

func (f secretMaker) pem(dashes, end string) string {
	label := " OPENSSH PRIVATE KEY" + dashes
	lines := []string{dashes + "BEGIN" + label}
	for range 5 {
		lines = append(lines, f.of(base62, 64))
	}
	return strings.Join(append(lines, dashes+"END"+label), end)
}

func text(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// messages are places where a secret may occur, with %s in its place: JSON messages and
// texts.
var messages = map[string]func(s string) string{
	"content": func(s string) string {
		return `{"method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + text("I found "+s+" in it.") + `}}}}`
	},
	"output of a tool": func(s string) string {
		return `{"update":{"sessionUpdate":"tool_call_update","content":[{"type":"content","content":{"type":"text","text":` + text("ok\n\n"+s+"\n\tdone") + `}}],"rawOutput":{"stdout":` + text("\x1b[32m"+s+"\x1b[0m\r\n") + `}}}`
	},
	"command": func(s string) string {
		return `{"toolCall":{"title":` + text("`"+s+"`") + `,"rawInput":{"command":` + text("cd /srv && "+s) + `}}}`
	},
	"words": func(s string) string { return `{"command":"x","args":["-v",` + text(s) + `]}` },
	"env": func(s string) string {
		return `{"command":"x","env":[{"name":"A","value":` + text(s) + `}],"mcpServers":[{"env":{"B":` + text(s) + `}}]}`
	},
	"headers": func(s string) string { return `{"headers":[{"name":"X-Any","value":` + text(s) + `}]}` },
	"diff": func(s string) string {
		return `{"type":"diff","path":"/p","oldText":` + text("a\n"+s+"\nb\n") + `,"newText":` + text(s) + `}`
	},
	"a key": func(s string) string { return `{"by":{` + text(s) + `:1}}` },
	"JSON in a text": func(s string) string {
		return `{"text":` + text(`{"a": [`+text(s)+`, "`+strings.ReplaceAll(s, `\`, `\\`)+`"]}`) + `}`
	},
	"letters as escapes": func(s string) string {
		var b strings.Builder
		for _, c := range s {
			fmt.Fprintf(&b, `\u%04x`, c)
		}
		return `{"text":"` + b.String() + `"}`
	},
}

var inTexts = map[string]string{
	"alone": "%s", "in a sentence": "It is %s.", "in brackets": "(see %s), [%s]", "in quotes": `a "%s" b '%s'`, "in a block": "```\n%s\n```", "after a line end": `one\n%s\ntwo`, "in a table": "| %s |",
}

func TestKnownShapes(t *testing.T) {
	if n := len(secretMaker{rand.New(rand.NewPCG(1, 2))}.samples()); n < 100 {
		t.Fatalf("%d shapes", n)
	}
	for seed := range uint64(20) {
		for name, s := range (secretMaker{rand.New(rand.NewPCG(seed, 1))}).samples() {
			for place, make := range messages {
				in := make(s.text)
				if !json.Valid([]byte(in)) {
					t.Fatalf("%s: not JSON: %s", place, in)
				}
				out := JSON(nil, []byte(in))
				if !json.Valid(out) {
					t.Errorf("%s as %s: not JSON: %s", name, place, out)
				}
				lost(t, name+" as "+place, string(out), s.secret)
				sameShape(t, []byte(in), out)
			}
			for place, form := range inTexts {
				in := strings.ReplaceAll(form, "%s", s.text)
				lost(t, name+" "+place, Text(in), s.secret)
				lost(t, name+" "+place+", in a command", Command(in), s.secret)
			}
			for _, w := range Words([]string{"run", s.text, "--x=" + s.text}) {
				lost(t, name+" as a word", w, s.secret)
			}
			if t.Failed() {
				return
			}
		}
	}
}

// lost reports a secret if half of it or more is left, in any JSON notation.
func lost(t *testing.T, where, out, secret string) {
	t.Helper()
	for part := range strings.FieldsFuncSeq(secret, func(r rune) bool { return r == '\n' || r == '\\' || r == '/' }) {
		if len(part) < 8 {
			continue
		}
		if half := len(part) / 2; strings.Contains(out, part[:half]) && half >= 6 || strings.Contains(out, part[len(part)-half:]) {
			t.Errorf("%s: %q is left in %q", where, part, out)
			return
		}
	}
}

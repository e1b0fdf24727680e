package redact

import (
	"bytes"
	"regexp"

	"parley/internal/lazy"
)

// shape is a secret recognised by its form.
type shape struct {
	words []string // in lower case: one of them is at its beginning, or up to back bytes after it
	min   int      // least bytes from the word on, without a space or a quote
	back  int      // most bytes before the word
	// pattern matches it. The first group, if there is one, is the secret. A leading \b
	// means that no character of a name may precede it.
	pattern string
	chosen  bool // by a person: it may look like any word
}

const hexDigits = "0123456789abcdef"

// uuidShape is the expression of a UUID.
const uuidShape = `[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`

// ownShapes are shapes that gitleaks lacks, recognises only with a name before, or defines
// too strictly.
func ownShapes() []shape {
	return []shape{
		// Model vendors.
		{words: []string{"sk-"}, min: 23, pattern: `\bsk-[A-Za-z0-9]{20,}`},
		{words: []string{"sk-"}, min: 18, pattern: `\bsk-(?:proj|svcacct|admin|service|None|ant|or|lf|kimi|cp)-[\w-]{12,}`},
		{words: []string{"csk-", "fpk_", "gsk_", "xai-", "nvapi-", "tgp_v1_", "tvly-", "pcsk_"}, min: 24, pattern: `\b(?:csk-|fpk_|gsk_|xai-|nvapi-|tgp_v1_|tvly-|pcsk_)[\w-]{20,}`},
		{words: []string{"r8_", "hf_", "rpa_", "e2b_"}, min: 30, pattern: `\b(?:r8|hf|rpa|e2b)_[A-Za-z0-9]{26,}`},
		{words: []string{"lsv2_"}, min: 32, pattern: `\blsv2_(?:pt|sk)_[a-f0-9]{32}`},
		{words: []string{"aq.ab8"}, min: 40, pattern: `\bAQ\.Ab8[\w-]{30,}`},
		// Clouds.
		{words: []string{"ya29."}, min: 25, pattern: `\bya29\.[\w-]{20,}`},
		{words: []string{"gocspx-"}, min: 27, pattern: `\bGOCSPX-[\w-]{20,}`},
		{words: []string{"1//0"}, min: 40, pattern: `\b1//0[\w-]{36,}`},
		{words: []string{"aws_secret_access_key", "secretaccesskey"}, pattern: `(?i)(?:aws_secret_access_key|secretaccesskey)\\?["']?(?:\s*[=:]>?\s*|\s+)\\?["']?([a-z0-9/+]{40})`},
		{words: []string{"accountkey=", "accesskey="}, pattern: `(?i)AccessKey=([a-z0-9+/]{40,}={0,2})|(?i)AccountKey=([a-z0-9+/]{40,}={0,2})`},
		{words: each("", "0123456789", "q~"), min: 34, back: 3, pattern: `[\w~.]{3}\dQ~[\w~.-]{31,34}`},
		{words: []string{"hrku-"}, min: 35, pattern: `\bHRKU-[\w-]{30,}`},
		{words: []string{"cfut_", "cfat_"}, min: 40, pattern: `\bcf[ua]t_[\w-]{35,}`},
		{words: []string{"fo1_", "fm1a_", "fm1r_", "fm2_"}, min: 40, pattern: `\bf(?:o1|m1a|m1r|m2)_[\w+/-]{36,}={0,2}`},
		{words: []string{"sbp_", "sb_secret_"}, min: 30, pattern: `\bsb(?:p_[a-f0-9]{40}|_secret_[\w-]{20,})`},
		{words: []string{".atlasv1."}, min: 49, back: 14, pattern: `[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}`},
		{words: []string{"hvs.", "hvb.", "hvr."}, min: 24, pattern: `\bhv[sbr]\.[\w-]{20,}`},
		{words: []string{"dp.ct.", "dp.sa.", "dp.st.", "dp.scim.", "dp.audit."}, min: 36, pattern: `\bdp\.(?:ct|sa|st|scim|audit)\.[\w.-]{30,}`},
		{words: []string{"tskey-"}, min: 20, pattern: `\btskey-[a-z]+-[\w-]{12,}`},
		// Code, packages, builds. Tokens of GitHub and GitLab also match if shorter: cut
		// off, or the first piece of a stream.
		{words: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, min: 20, pattern: `\bgh[pousr]_[A-Za-z0-9]{16,}`},
		{words: []string{"github_pat_"}, min: 31, pattern: `\bgithub_pat_\w{20,}`},
		{words: []string{"glpat-"}, min: 18, pattern: `\bglpat-[\w-]{12,}`},
		{words: []string{"dckr_"}, min: 28, pattern: `\bdckr_(?:pat|oat)_[\w-]{20,}`},
		{words: []string{"pypi-ageu"}, min: 60, pattern: `\bpypi-AgEU[\w-]{50,}`},
		{words: []string{"glrtr-", "gltok-", "glwt-"}, min: 24, pattern: `\bgl(?:rtr|tok|wt)-[\w-]{18,}`},
		{words: []string{"atatt3", "atctt3"}, min: 50, pattern: `\bAT[AC]TT3[\w=-]{40,}`},
		{words: []string{"atbb"}, min: 36, pattern: `\bATBB[A-Za-z0-9]{32}`},
		{words: []string{"ccipat_", "ccipra_"}, min: 40, pattern: `\bCCIP(?:AT|RA)_[\w-]{30,}`},
		{words: []string{"bkua_"}, min: 45, pattern: `\bbkua_[a-f0-9]{40}`},
		{words: []string{"sqp_", "squ_", "sqa_"}, min: 44, pattern: `\bsq[pua]_[a-f0-9]{40}`},
		{words: []string{"sgp_"}, min: 44, pattern: `\bsgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}`},
		{words: []string{"nfp_"}, min: 40, pattern: `\bnfp_[A-Za-z0-9]{36,}`},
		{words: []string{"rnd_"}, min: 30, pattern: `\brnd_[A-Za-z0-9]{28,}`},
		// Work and money.
		{words: []string{"xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"}, min: 20, pattern: `\bxox[a-z]-[\w%+/=-]{15,}`},
		{words: []string{"hooks.slack.com/"}, pattern: `(?i)hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{20,})`},
		{words: []string{".com/api/webhooks/"}, pattern: `(?i)\.com/api/(?:v\d+/)?webhooks/(\d{15,22}/[\w-]{40,})`},
		{words: []string{"webhook.office.com/"}, pattern: `(?i)webhook\.office\.com/(webhookb2/[\w@/-]{60,})`},
		{words: discordWords(), min: 55, pattern: `\b[MNO][\w-]{23,28}\.[\w-]{6}\.[\w-]{27,}`},
		{words: []string{":aa"}, min: 35, back: 12, pattern: `(?:bot)?\d{8,10}:AA[\w-]{32,}`},
		{words: each("ac", "0123456789abcdef", ""), min: 34, pattern: `\bAC[0-9a-f]{32}`},
		{words: []string{"key-"}, min: 36, pattern: `\bkey-[0-9a-f]{32}`},
		{words: []string{"-us"}, back: 32, pattern: `\b[0-9a-f]{32}-us\d{1,2}`},
		{words: []string{"sq0"}, min: 28, pattern: `\bsq0[a-z]{3}-[\w-]{20,}`},
		{words: []string{"eaaa"}, min: 64, pattern: `\bEAAA[\w-]{60}`},
		{words: []string{"pk_live_", "pk_test_", "whsec_"}, min: 20, pattern: `\b(?:pk_(?:live|test)|whsec)_[A-Za-z0-9]{14,}`},
		{words: []string{"shptka_"}, min: 39, pattern: `\bshptka_[a-fA-F0-9]{32}`},
		{words: []string{"lin_oauth_"}, min: 42, pattern: `\blin_oauth_[A-Za-z0-9]{32,}`},
		{words: []string{"secret_"}, min: 50, pattern: `\bsecret_[A-Za-z0-9]{43}`},
		{words: []string{"figd_", "figu_", "figo_", "figdr_", "figur_"}, min: 35, pattern: `\bfig[duo]r?_[\w-]{30,}`},
		{words: []string{"nrak-", "nrii-", "nrjs-", "nrra-"}, min: 24, pattern: `\bNR(?:AK|II|JS|RA)-[\w-]{19,}`},
		{words: []string{"sntrys_"}, min: 40, pattern: `\bsntrys_[\w+/=-]{33,}`},
		{words: []string{"sl."}, min: 60, pattern: `\bsl\.(?:u\.)?[\w-]{56,}`},
		{words: []string{"phx_"}, min: 40, pattern: `\bphx_[A-Za-z0-9]{36,}`},
		// Further shapes of services.
		{words: []string{"vercel_blob_rw_"}, min: 30, pattern: `\bvercel_blob_rw_\w{20,}`},
		{words: []string{"ntn_"}, min: 44, pattern: `\bntn_[A-Za-z0-9]{40,}`},
		{words: []string{"sk_"}, min: 51, pattern: `\bsk_[0-9a-f]{48}`},
		{words: []string{"cfpat-"}, min: 40, pattern: `\bCFPAT-[\w-]{30,}`},
		{words: []string{"fw_"}, min: 23, pattern: `\bfw_[A-Za-z0-9]{20,}`},
		{words: []string{"fc-"}, min: 35, pattern: `\bfc-[0-9a-f]{32}`},
		{words: []string{"re_"}, min: 30, pattern: `\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}`},
		{words: []string{"key_", "crsr_"}, min: 60, pattern: `\b(?:key|crsr)_[0-9a-f]{56,}`},
		{words: []string{"napi_", "jina_"}, min: 45, pattern: `\b(?:napi|jina)_[A-Za-z0-9]{40,}`},
		{words: []string{"sgamp_user_", "lin_wh_", "n8n_api_", "dbtc_", "dbtu_"}, min: 30, pattern: `\b(?:sgamp_user|lin_wh|n8n_api|dbt[cu])_[\w-]{25,}`},
		{words: []string{"hcaik_"}, min: 50, pattern: `\bhcaik_[A-Za-z0-9]{44,}`},
		{words: []string{"oy2"}, min: 46, pattern: `\boy2[a-z0-9]{43}\b`},
		{words: []string{"aio_"}, min: 32, pattern: `\baio_[A-Za-z0-9]{28}`},
		{words: []string{"bkct_", "bkaj_", "ddp_", "ddo_"}, min: 36, pattern: `\b(?:bk(?:ct|aj)|dd[po])_[A-Za-z0-9]{32,}`},
		{words: []string{"cflt"}, min: 60, pattern: `\bcflt[A-Za-z0-9+/]{56,}`},
		{words: []string{"avns_"}, min: 20, pattern: `\bAVNS_[\w-]{15,}`},
		{words: []string{"mlsn."}, min: 69, pattern: `\bmlsn\.[0-9a-f]{64}`},
		{words: []string{"ak-", "as-"}, min: 25, pattern: `\ba[ks]-[A-Za-z0-9]{22}\b`},
		{words: []string{"bsa"}, min: 30, pattern: `\bBSA[A-Za-z0-9_-]{27,28}\b`},
		{words: []string{"npmtoken."}, min: 45, pattern: `\bNpmToken\.` + uuidShape},
		{words: []string{"aaaa"}, min: 100, pattern: `\bAAAA[\w-]{7}:APA91[\w-]{100,}`},
		{words: []string{"sdk-", "mob-", "api-"}, min: 40, pattern: `\b(?:sdk|mob|api)-` + uuidShape},
		{words: []string{"tr_dev_", "tr_prod_"}, min: 23, pattern: `\btr_(?:dev|prod)_[A-Za-z0-9]{16,}`},
		{words: []string{"signkey-"}, min: 40, pattern: `\bsignkey-\w+-[0-9a-f]{32,}`},
		{words: []string{"secret-live-", "secret-test-"}, min: 40, pattern: `\bsecret-(?:live|test)-[\w=-]{28,}`},
		{words: []string{"access_token$"}, pattern: `\baccess_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}`},
		{words: []string{"access-production-", "access-sandbox-", "access-development-"}, pattern: `\baccess-\w+-` + uuidShape},
		{words: []string{"pat-na", "pat-eu"}, pattern: `\bpat-(?:na|eu)\d-` + uuidShape},
		{words: []string{"live_", "test_"}, min: 40, pattern: `\b(?:live|test)_[0-9a-f]{35}\b`},
		{words: []string{"pa-"}, min: 46, pattern: `\bpa-[\w-]{43}\b`},
		{words: []string{"pk-lf-"}, min: 42, pattern: `\bpk-lf-` + uuidShape},
		{words: []string{"ls__"}, min: 36, pattern: `\bls__[0-9a-f]{32}`},
		{words: []string{"esecret_"}, min: 30, pattern: `\besecret_[A-Za-z0-9]{22,}`},
		{words: []string{"dkea"}, min: 36, pattern: `\bdkea[0-9a-f]{32}`},
		{words: []string{"shpit_"}, min: 38, pattern: `\bshpit_[0-9a-fA-F]{32}`},
		{words: []string{"xau_"}, min: 32, pattern: `\bxau_[A-Za-z0-9]{28,}`},
		{words: []string{"pdl_live_apikey_", "pdl_sdbx_apikey_"}, min: 50, pattern: `\bpdl_(?:live|sdbx)_apikey_\w{34,}`},
		{words: each("1/", "0123456789", ""), min: 45, pattern: `\b[12]/\d{10,}(?:/\d+)?:[0-9a-f]{32}`},
		{words: each("0.", hexDigits, ""), min: 80, pattern: `\b0\.` + uuidShape + `\.[A-Za-z0-9]{30}:[\w+/=]{22,}`},
		{words: each("sk", "abcdefghijklmnopqrstuvwxyz0123456789", ""), min: 80, pattern: `\bsk[A-Za-z0-9]{80,}`},
		// Any issuer.
		{words: []string{"eyj"}, min: 40, pattern: `\beyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*){0,3}`},
		// Passwords in files and connection strings.
		{words: []string{"machine ", "default "}, pattern: `(?:machine\s+\S+|default)\s+login\s+\S+\s+password\s+(\S+)`, chosen: true}, // .netrc
		{words: []string{":5432:", ":6432:", ":*:*:"}, pattern: `:(?:\d+|\*):[^:\s]+:[^:\s]+:([^\s:'"]+)`, chosen: true},               // .pgpass
		{words: []string{"identified by ", "identified with "}, pattern: `(?i)identified\s+(?:with\s+\S+\s+)?by\s+['"]([^'"\n]+)['"]`, chosen: true},
		{words: []string{"user ", "role "}, pattern: `(?i)(?:user|role)\s+\S+\s+(?:with\s+)?(?:encrypted\s+)?password\s+'([^'\n]+)'`, chosen: true},
		{words: []string{"requirepass ", "masterauth ", "bindpw "}, pattern: `\b(?:requirepass|masterauth|bindpw)\s+(\S{6,})`},
		{words: []string{"jdbc:oracle:"}, pattern: `jdbc:oracle:\w+:[\w.]+/([^@\s]+)@`, chosen: true},
	}
}

// each returns the words made of begin, one of the letters, and end.
func each(begin, letters, end string) (out []string) {
	for _, c := range letters {
		out = append(out, begin+string(c)+end)
	}
	return out
}

// discordWords returns how the base64 of a number of two or more digits begins.
func discordWords() (out []string) {
	for _, begin := range []string{"mt", "mj", "mz", "nd", "nt", "nj", "nz", "od", "ot"} {
		out = append(out, each(begin, "aeimquycgk", "")...)
	}
	return out
}

// matcher finds a shape.
type matcher struct {
	*shape
	regexp  func() *regexp.Regexp
	bounded bool // no character of a name may precede it
}

func newShape(s *shape) matcher {
	begin := "^"
	if s.back > 0 {
		begin = ""
	}
	return matcher{shape: s, regexp: lazy.Regexp(begin + "(?:" + s.pattern + ")"), bounded: bytes.Contains([]byte(s.pattern[:min(len(s.pattern), 8)]), []byte(`\b`))}
}

func (f matcher) suspect(s []byte, at, end int) bool {
	if len(s)-at < f.min || f.back > 0 && (at == 0 || !isWord(s[at-1])) {
		return false
	}
	for _, c := range s[end:max(end, at+f.min)] {
		if c <= ' ' || c == '"' || c == '\'' || c == '\\' || c == '`' || c >= 0x7f {
			return false
		}
	}
	return true
}

func (f matcher) find(s []byte, at, end int, _ mode) (from, to int) {
	if !f.suspect(s, at, end) || f.back == 0 && (f.bounded && !beginsWord(s, at) || inBase64(s, at)) {
		return 0, 0
	}
	start := max(0, at-f.back)
	if f.back > 0 {
		s = s[:min(len(s), end+2*f.min+8)]
	}
	m := f.regexp().FindSubmatchIndex(s[start:])
	if m == nil {
		return 0, 0
	}
	from, to = m[0], m[1]
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			from, to = m[i], m[i+1]
			break
		}
	}
	from, to = start+from, start+to
	if f.chosen {
		if v := s[from:to]; isReference(v, 0) || bytes.HasPrefix(v, []byte(Mark)) {
			return 0, 0
		}
		return from, to
	}
	if !varied(s[from:to]) || f.back > 0 && !beginsWord(s, from) {
		return 0, 0
	}
	return from, tokenEnd(s, from, to)
}

// varied tells tokens from names: they have digits, or letters of both cases.
func varied(s []byte) bool {
	upper, lower := false, false
	for _, c := range s {
		upper, lower = upper || 'A' <= c && c <= 'Z', lower || 'a' <= c && c <= 'z'
		if '0' <= c && c <= '9' || upper && lower {
			return true
		}
	}
	return false
}

// tokenEnd returns the end of a token of which a pattern has matched s[from:to]: vendors
// make tokens longer over time.
func tokenEnd(s []byte, from, to int) int {
	dots := bytes.IndexByte(s[from:to], '.') >= 0
	for to < len(s) && (isWord(s[to]) || s[to] == '-' || dots && s[to] == '.' && to+1 < len(s) && isWord(s[to+1])) {
		to++
	}
	return to
}

// beginsWord reports whether a token may begin at a position: not within a name, but after
// an escape, which ends in a letter.
func beginsWord(s []byte, at int) bool {
	if at == 0 || !isWord(s[at-1]) && s[at-1] != '-' {
		return true
	}
	before := s[max(0, at-16):at]
	n := len(before)
	switch {
	case n >= 2 && before[n-2] == '\\' && bytes.IndexByte([]byte("nrtbf"), before[n-1]) >= 0: // \n
		return true
	case n >= 3 && before[n-3] == '%' && isHex(before[n-2:]): // %20
		return true
	case n >= 6 && before[n-6] == '\\' && before[n-5] == 'u' && isHex(before[n-4:]): // \u0022
		return true
	case before[n-1] == 'm': // end of a colour sequence
		before = bytes.TrimRight(before[:n-1], "0123456789;:")
		return bytes.HasSuffix(before, []byte("["))
	}
	return false
}

func isHex(s []byte) bool {
	for _, c := range s {
		if c = lower(c); (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// inBase64 reports whether a position is within a long base64 text, where any word may
// occur.
func inBase64(s []byte, at int) bool {
	const long = 100
	if at < long {
		return false
	}
	for _, c := range s[at-long : at] {
		if c == '_' || !isWord(c) && c != '+' && c != '/' {
			return false
		}
	}
	return true
}

const (
	pemBegin = "-----begin "
	pemEnd   = "-----END "
)

// pem finds private keys; one without an end extends to the end of the text.
type pem struct{}

func (pem) suspect(s []byte, at, end int) bool { return true }

func (pem) find(s []byte, at, end int, _ mode) (from, to int) {
	label, _, found := bytes.Cut(s[end:min(len(s), end+80)], []byte("-----"))
	if !found || !bytes.Contains(label, []byte("PRIVATE KEY")) {
		return 0, 0
	}
	after := s[end:]
	i := bytes.Index(after, []byte(pemEnd))
	if i < 0 {
		return at, len(s)
	}
	i += len(pemEnd)
	n := bytes.Index(after[i:], []byte("-----"))
	if n < 0 {
		return at, len(s)
	}
	return at, end + i + n + len("-----")
}

// userinfo finds the user and password of a URL.
type userinfo struct{}

func (f userinfo) suspect(s []byte, at, end int) bool {
	_, to := f.find(s, at, end, prose)
	return to > 0
}

func (userinfo) find(s []byte, _, end int, _ mode) (from, to int) {
	host := s[end:]
	if i := bytes.IndexAny(host, "/?# \t\r\n<>\"`"); i >= 0 {
		host = host[:i]
	}
	at := bytes.LastIndexByte(host, '@')
	if user := host[:max(at, 0)]; len(user) == 0 || string(user) == Mark || string(user) == "git" {
		return 0, 0
	}
	return end, end + at
}

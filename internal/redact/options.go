package redact

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"parley/internal/lazy"
)

// programs are commands with an argument that is secret although no name says so. All expressions begin
// with the program's name, which finds them.
//
// In an expression, ~ is anything between the words of one command, and @ the secret: a word, or a
// text in quotes.
var programs = []string{
	`(?:docker|podman|nerdctl|buildah|skopeo|crane|oras|helm|oc)~login~-p[ =]*@`,
	`openssl~-k\s+@`,
	`openssl~-pass(?:in)?\s+pass:@`,
	`openssl~-passout\s+pass:@`,
	`(?:mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|cqlsh|rabbitmqadmin|twine|ncftp|ncftpput|ncftpget|rdesktop|xcrun)~(?:-p|--pass(?:word)?)[ =]*@`,
	`(?:7z|7za|7zr|7zz|rar|unrar)~-p@`,
	`aws\s+configure\s+set\s+\S*(?:key|secret|token)\S*\s+@`,
	`aws~--(?:secret-string|value)[ =]@`,
	`az~(?:-p|--value|--account-key)[ =]@`,
	`vault\s+login~@`,
	`gh\s+secret\s+set~(?:-b|--body)[ =]*@`,
	`curl~(?:-b|--cookie)[ =]*(?:'[^'=]+=|"[^"=]+=|[^\s'"=]+=)@`,
	`curl~(?:--oauth2-bearer|--pass|--proxy-pass)[ =]@`,
	`htpasswd~-\w*b\w*(?:\s+\S+){1,2}\s+@`,
	`ldap(?:search|add|modify|delete|modrdn|compare|whoami|passwd|exop)~-w\s*@`,
	`ldappasswd~-s\s*@`,
	`ldappasswd~-a\s*@`,
	`sshpass~-p\s*@`,
	`(?:mysql|mariadb)[\w-]*~-p@`,
	`mysqladmin~password\s+@`,
	`redis-cli~-a\s+@`,
	`(?:sqlcmd|bcp|osql)~-P\s*@`,
	`rabbitmqctl~(?:add_user|change_password)\s+\S+\s+@`,
	`(?:zip|unzip|zipcloak)~-P\s*@`,
	`smbclient~-U\s*[^\s%]+%@`,
	`poetry\s+publish~(?:-p|--pass(?:word)?)[ =]*@`,
	`poetry~pypi-token\.\S+\s+@`,
	`poetry~http-basic\.\S+\s+\S+\s+@`,
	`cargo\s+login~@`,
	`npm~\S*_(?:authToken|password|auth)[ =]+@`,
	`(?:fly|flyctl|doppler)\s+secrets\s+set\s+([^|;&\n]+)`, // of names and values
	`heroku\s+config:set\s+([^|;&\n]+)`,
	`railway~--set[ =]\w+=@`,
	`netlify\s+env:set\s+\S+\s+@`,
	`gitlab-runner~-r[ =]*@`,
	`ngrok~(?:authtoken|add-authtoken|add-api-key)\s+@`,
	`pulumi\s+config\s+set~--secret\s+\S+\s+@`,
	`echo\s+@\s*\|\s*(?:sudo\s+(?:-\w+\s+)*-S|\S+~--password-stdin)`,
	`echo\s+['"]?[\w.-]+:@\s*\|\s*(?:sudo\s+)?chpasswd`,
	`(?:useradd|usermod)~-p\s*@`,
	`net\s+user\s+\S+\s+@`,
	`pdftk~(?:input_pw|owner_pw|user_pw)\s+@`,
	`(?:xfreerdp|xfreerdp3|wlfreerdp)~/p:@`,
	`(?:ipmitool|mosquitto_(?:pub|sub))~-P\s*@`,
	`snmp(?:walk|get|getnext|set|bulkwalk|bulkget)~-A\s*@`,
	`snmp(?:walk|get|getnext|set|bulkwalk|bulkget)~-X\s*@`,
	`wpa_passphrase\s+\S+\s+@`,
	`nmcli~password\s+@`,
	`(?:sqlplus|sqlldr|impdp|expdp)~[\w.]+/@`,
	`lftp~-u\s*[^\s,]+,@`,
	`mc\s+alias\s+set\s+\S+\s+\S+\s+\S+\s+@`,
	`(?:influx|codecov)~-t\s*@`,
	`(?:http|https|xh)~(?:-a|--auth)[ =]*(?:[^\s:'"]+:)?@`,
	`skopeo~--(?:src-|dest-)?creds[ =][^\s:'"]+:@`,
	`gem~(?:-k|--key)[ =]@`,
	`netlify~--auth[ =]@`,
	`security~[\w-]+-password~-w\s*@`,
	`security~(?:unlock|create)-keychain~-p\s*@`,
	`bw\s+(?:unlock|login\s+\S+)\s+@`,
	`rclone~(?:secret_access_key|pass|client_secret)[ =]@`,
	`mqtt~-pw\s+@`,
	`sonar-scanner~-Dsonar\.login=@`,
	`dotnet\s+nuget~-k\s*@`,
	`nuget\s+setapikey~@`,
	`signtool~/p\s+@`,
	`doctl\s+auth\s+init~-t\s*@`,
	`wandb\s+login~@`,
	`llm\s+keys\s+set~--value[ =]@`,
	`yarn\s+config\s+set\s+\S*Token\s+@`,
	`(?:gh\s+auth\s+login|hcloud\s+context\s+create|vercel\s+env\s+add|wrangler\s+secret\s+put|pass\s+insert|passwd|chpasswd|cryptsetup)~<<<\s*@`,
}

// secretOperand matches @ and what it ends with.
const secretOperand = `('[^'\n]*'|"[^"\n]*"|[^\s'"|;&]+)`

// option finds the secret of one command. Those that repeat an option have one entry for each.
type option struct {
	regexp  func() *regexp.Regexp
	operand bool // the secret follows no option: in prose it must not look like a word
}

// newOption returns the finder of an expression of programs, and the words it begins with.
func newOption(expression string) (option, []string) {
	pattern := strings.NewReplacer("~", `\s(?:[^\n|;&]*?\s)??`, "@", secretOperand).Replace(expression)
	return option{lazy.Regexp("^" + pattern), !strings.ContainsAny(expression, "-=|/%:")}, beginningsOf(expression)
}

// beginningsOf returns the names of the programs that an expression begins with, and a character after
// those that are too short to be found by themselves.
func beginningsOf(expression string) []string {
	names := expression
	if strings.HasPrefix(expression, "(?:") {
		names, _, _ = strings.Cut(expression[len("(?:"):], ")")
	}
	var words []string
	for name := range strings.SplitSeq(names, "|") {
		if i := strings.IndexAny(name, `\~([`); i >= 0 {
			name = name[:i]
		}
		if len(name) < 3 {
			name += " "
		}
		words = append(words, name)
		if names == expression {
			break
		}
	}
	return words
}

func (o option) suspect([]byte, int, int) bool { return true }

func (o option) find(s []byte, at, _ int, m mode) (from, to int) {
	if !beginsWord(s, at) {
		return 0, 0
	}
	found := o.regexp().FindSubmatchIndex(s[at:])
	if found == nil {
		return 0, 0
	}
	from, to = at+found[2], at+found[3]
	quote := s[from]
	if quote == '\'' || quote == '"' {
		from, to = from+1, to-1
	} else {
		quote = 0
	}
	if v := s[from:to]; len(v) == 0 || strings.HasPrefix(string(v), Mark) || isReference(v, quote) || v[0] == '-' || m == prose && o.operand && !varied(v) {
		return 0, 0
	}
	return from, to
}

// literal finds the values of --from-literal=NAME=VALUE, of which a command may have several.
type literal struct{}

func (literal) suspect([]byte, int, int) bool { return true }

func (literal) find(s []byte, _, end int, _ mode) (from, to int) {
	if end == len(s) || s[end] != '=' && s[end] != ' ' {
		return 0, 0
	}
	i := skipQuote(s, end+1)
	_, stop := nameAround(s, i, i)
	if stop == len(s) || s[stop] != '=' {
		return 0, 0
	}
	from, to, quote := value(s, stop+1)
	if isReference(s[from:to], quote) || strings.HasPrefix(string(s[from:to]), Mark) {
		return 0, 0
	}
	return from, to
}

// markOperands replaces, in the words of a command, the secrets that only the command before them tells.
// safe holds the words as they are redacted each by itself.
func markOperands(words, safe []string) {
	if len(words) < 2 {
		return
	}
	line := []byte(path.Base(words[0]))
	var begin []int // of each word but the first
	for _, w := range words[1:] {
		line = append(line, ' ')
		begin = append(begin, len(line))
		for i := range len(w) { // what would end a word of a command line does not end one of these
			c := w[i]
			if slices.Contains([]byte(" \t\n'\"|;&"), c) {
				c = '_'
			}
			line = append(line, c)
		}
	}
	t := known()
	for _, e := range t.begin(line) {
		o, is := e.finder.(option)
		if !is || !hasWord(line, e.word) {
			continue
		}
		from, to := o.find(line, 0, 0, command)
		i := len(begin)
		for i--; i >= 0 && begin[i] > from; i-- {
		}
		if to == 0 || i < 0 {
			continue
		}
		word := words[i+1]
		secret := word[from-begin[i] : min(to-begin[i], len(word))]
		if !isReference([]byte(secret), 0) {
			safe[i+1] = word[:from-begin[i]] + Mark + word[min(to-begin[i], len(word)):]
		}
	}
}

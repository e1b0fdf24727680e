package fsops

import (
	"path"
	"strings"
	"unicode"
)

// sensitive lists the files that need a question even inside the session's directories, and why:
// they hold credentials, or a program runs what they say. What a pattern names is sensitive
// anywhere in a path, with everything below it; a pattern that begins with a slash matches from the
// root only. Each name of a pattern matches one name of the path, as path.Match does, and is in
// lower case; ␣ is a space. Files that people edit all day (a Makefile, package.json) are not
// listed.
var sensitive = []struct{ why, patterns string }{
	{"private key", `*.pem *.key *.p12 *.pfx *.ppk *.jks *.keystore *.kdbx id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk
		/etc/ssl/private /etc/wireguard`},
	{"SSH keys and settings", `.ssh authorized_keys /etc/ssh`},
	{"keys and passwords", `.gnupg .password-store .local/share/keyrings .local/share/kwalletd library/keychains .config/sops .config/op
		.vault-token .htpasswd /etc/shadow /etc/gshadow /etc/shadow- /etc/gshadow- /etc/krb5.keytab`},
	{"environment file", `.env .env.* .envrc`},

	{"credentials", `.netrc _netrc .git-credentials .pgpass .my.cnf .mylogin.cnf .cvspass .subversion/auth .curlrc .wgetrc .fetchmailrc .msmtprc
		.aws .azure .kube .config/gcloud .boto .s3cfg .rclone.conf rclone.conf .config/rclone .oci .databrickscfg .snowsql
		.docker/config.json .config/containers/auth.json .config/gh .config/hub .config/glab-cli .config/doctl .config/hcloud .config/scw
		.config/heroku .config/stripe .config/ngrok .ngrok2 .cloudflared .kaggle/kaggle.json .huggingface .cache/huggingface/token
		.pulumi/credentials.json .terraformrc terraform.rc .terraform.d *.tfstate *.tfstate.*`},
	{"package registry settings", `.npmrc .yarnrc .yarnrc.yml .pypirc .pip/pip.conf .config/pip .cargo/credentials .cargo/credentials.toml
		.cargo/config .cargo/config.toml .gem/credentials .bundle/config .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
		.gradle/init.d .gradle/init.gradle .composer/auth.json .config/composer/auth.json nuget.config`},
	{"wallet", `wallet.dat .bitcoin .electrum .ethereum/keystore .config/solana`},
	{"browser profile", `.mozilla .librewolf .thunderbird .config/google-chrome .config/chromium .config/microsoft-edge .config/bravesoftware
		.config/vivaldi .config/opera snap/firefox/common snap/chromium/common library/cookies library/safari
		library/application␣support/firefox library/application␣support/google/chrome library/application␣support/chromium
		library/application␣support/microsoft␣edge library/application␣support/bravesoftware library/application␣support/arc
		appdata/local/google/chrome appdata/local/microsoft/edge appdata/local/bravesoftware appdata/roaming/mozilla
		cookies.sqlite logins.json key3.db key4.db login␣data`},
	{"shell history", `.bash_history .zsh_history .zhistory .histfile .sh_history .ksh_history fish_history consolehost_history.txt
		.python_history .node_repl_history .irb_history .pry_history .psql_history .mysql_history .mariadb_history .sqlite_history
		.rediscli_history .dbshell .mongosh .lesshst .viminfo`},

	{"shell start-up file", `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout
		.cshrc .tcshrc .kshrc .login .xprofile .xinitrc .xsession .xsessionrc .pam_environment config.fish .config/fish profile.ps1
		microsoft.powershell_profile.ps1 /etc/profile /etc/profile.d /etc/bash.bashrc /etc/zsh /etc/environment`},
	{"runs at start-up", `.config/autostart .config/systemd .local/share/systemd library/launchagents library/launchdaemons
		appdata/roaming/microsoft/windows/start␣menu/programs/startup /etc/systemd /etc/init.d /etc/rc.local /etc/ld.so.preload
		/etc/cron* /var/spool/cron`},
	{"who may become root", `/etc/sudoers /etc/sudoers.d /etc/pam.d`},
	{"git hook", `.git/hooks .githooks .husky lefthook.yml .lefthook.yml .pre-commit-config.yaml`},
	{"git settings", `.git .gitconfig .config/git .hgrc .hg/hgrc`},
	{"runs commands in an editor", `.vscode/tasks.json .vscode/settings.json .vscode/launch.json .zed/tasks.json .zed/settings.json .zed/debug.json
		.config/zed .vimrc .exrc .nvimrc .config/nvim .emacs .devcontainer .devcontainer.json .gdbinit .lldbinit`},
	{"runs in CI", `.github/workflows .github/actions .gitlab-ci.yml .gitlab/ci .circleci .travis.yml jenkinsfile azure-pipelines.yml
		bitbucket-pipelines.yml .buildkite .drone.yml .woodpecker .woodpecker.yml .woodpecker.yaml .gitea/workflows .forgejo/workflows .cirrus.yml appveyor.yml
		.appveyor.yml .semaphore .build.yml .builds cloudbuild.yaml cloudbuild.yml buildspec.yml`},

	{"settings of parley", `.config/parley .parley`},
	{"settings of an agent", `.claude/settings*.json .claude/hooks .claude/plugins .claude.json .codex/config.toml .codex/hooks .codex/hooks.json .codex/rules
		.gemini/settings.json .gemini/hooks .gemini/extensions .gemini/policies .gemini/trustedfolders.json
		.qwen/settings.json .qwen/hooks .qwen/extensions .qwen/trustedfolders.json
		opencode.json opencode.jsonc .config/opencode .opencode/plugin .opencode/plugins .opencode/tool .opencode/tools
		kilo.json kilo.jsonc .config/kilo .copilot .github/hooks
		.cursor/hooks .cursor/hooks.json .cursor/cli.json .cursor/cli-config.json .cursor/permissions.json .cursor/sandbox.json .cursor/environment.json
		.kimi .kimi-code .config/goose .aider.conf.yml .continue/config.* .continue/mcpservers .cline .clinerules/hooks
		.amp/settings.json .config/amp crush.json .crush.json .config/crush .factory/settings.json .factory/hooks .kiro/hooks .augment/settings.json
		.pi/settings.json .pi/extensions .pi/agent .vibe/config.toml .openhands/hooks`},
	{"credentials of an agent", `.claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .gemini/google_accounts.json
		.gemini/mcp-oauth-tokens.json .qwen/oauth_creds.json .local/share/opencode/auth.json .local/share/opencode/mcp-auth.json
		.local/share/kilo/auth.json .config/github-copilot .local/share/goose .local/share/amp .local/share/crush .config/cursor/auth.json
		.aider/oauth-keys.env .augment/session.json`},
	{"MCP servers that an agent starts", `.mcp.json mcp.json mcp-config.json mcp_config.json mcp_settings.json cline_mcp_settings.json claude_desktop_config.json`},

	{"inside of a process", `/proc/*/environ /proc/*/mem /proc/*/fd /proc/*/maps /proc/*/root /proc/*/cwd /proc/*/task/*/environ /proc/*/task/*/mem
		/proc/*/task/*/fd /proc/kcore /dev/mem /dev/kmem /dev/port`},
	{"secrets of a container", `/run/secrets /var/run/secrets`},
	{"socket of a service", `docker.sock docker.raw.sock containerd.sock podman.sock crio.sock buildkitd.sock /run/user/*/bus /run/dbus
		/var/run/dbus /run/user/*/keyring /run/user/*/gnupg /tmp/ssh-*`},
}

// examples are never sensitive.
var examples = map[string]bool{".env.example": true, ".env.sample": true, ".env.template": true, ".env.dist": true}

// The patterns of sensitive: those with a * are tried one by one, the others are looked up.
var (
	sensitivePlaces = map[string]string{}
	sensitiveGlobs  []sensitiveGlob
	maxPlaceNames   int
)

type sensitiveGlob struct {
	pattern, why string
	names        int
}

func init() {
	for _, row := range sensitive {
		for p := range strings.FieldsSeq(row.patterns) {
			p = strings.ReplaceAll(p, "␣", " ")
			names := strings.Count(p, "/") + 1 // the empty one before a leading slash too, as in the paths
			maxPlaceNames = max(maxPlaceNames, names)
			if strings.Contains(p, "*") {
				sensitiveGlobs = append(sensitiveGlobs, sensitiveGlob{p, row.why, names})
			} else {
				sensitivePlaces[p] = row.why
			}
		}
	}
}

// Sensitive reports whether a path names a file that is known to hold secrets, wherever it leads.
func Sensitive(path string) bool { return secret(path) != "" }

// secret returns why a path is sensitive to read or to change, or "". It is a hint for the question
// to the user, so it errs on the side of matching: it ignores case, and spellings that some file
// systems treat as the same name. Of several reasons it returns that of the outermost directory,
// and there that of the longest pattern.
func secret(file string) string {
	names := []string{""}
	for _, name := range split(file) {
		names = append(names, plainName(name))
	}
	if examples[names[len(names)-1]] {
		names = names[:len(names)-1]
	}
	joined := strings.Join(names, "/")
	for start := 0; len(names) > 0; start, names = start+len(names[0])+1, names[1:] {
		end := len(joined)
		for n := len(names); n > 0; n-- {
			if n <= maxPlaceNames {
				if why := sensitiveAs(joined[start:end], n); why != "" {
					return why
				}
			}
			end -= len(names[n-1]) + 1
		}
	}
	return ""
}

// sensitiveAs looks up a part of a path that has n names.
func sensitiveAs(piece string, n int) string {
	if why := sensitivePlaces[piece]; why != "" {
		return why
	}
	for _, g := range sensitiveGlobs {
		if g.names != n {
			continue
		}
		if ok, _ := path.Match(g.pattern, piece); ok {
			return g.why
		}
	}
	return ""
}

// plainName folds what file systems fold: case, trailing dots and spaces and the stream after ":"
// (NTFS), ignorable runes (HFS+), the short name of .git (FAT).
func plainName(name string) string {
	if i := strings.IndexByte(name, ':'); i > 0 {
		name = name[:i]
	}
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r)) // ſ is s
	}, name)
	if trimmed := strings.TrimRight(name, ". "); trimmed != "" {
		name = trimmed
	}
	if name == "git~1" {
		return ".git"
	}
	return name
}

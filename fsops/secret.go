package fsops

import (
	"path"
	"strings"
	"unicode"
)

// secret says why a path is sensitive to read or to change, or "". It is a hint
// for the question put to the user: case, and the spellings that some file systems
// take for the same name, do not matter, and it names too much rather than too
// little.
func secret(file string) string {
	parts := split(file)
	for i, part := range parts {
		parts[i] = plainName(part)
	}
	if len(parts) == 0 {
		return ""
	}
	joined := strings.Join(parts, "/")
	for start, i := 0, 0; i < len(parts); i++ {
		rest := joined[start:]
		start += len(parts[i]) + 1
		for _, place := range secretPlaces {
			if rest == place || strings.HasPrefix(rest, place+"/") {
				return place
			}
		}
	}
	if why := secretSystem("/" + joined); why != "" {
		return why
	}
	return secretName(parts[len(parts)-1])
}

// plainName folds what file systems fold: case, trailing dots and spaces and the
// stream after ":" (NTFS), ignorable runes (HFS+), the short name of .git (FAT).
func plainName(name string) string {
	if i := strings.IndexByte(name, ':'); i > 0 {
		name = name[:i]
	}
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	if trimmed := strings.TrimRight(name, ". "); trimmed != "" {
		name = trimmed
	}
	if name == "git~1" {
		return ".git"
	}
	return name
}

// secretPlaces are sensitive anywhere in a path, with all below them. The longer
// name of a place stands before the shorter.
var secretPlaces = []string{
	".git/hooks", ".git/config", ".git",
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker/config.json", ".password-store",
	".config/gh", ".config/gcloud", ".config/git", ".config/fish", ".config/autostart",
	".config/systemd", ".config/parley", "library/launchagents", "library/launchdaemons",
	"library/keychains", ".husky", ".vscode/tasks.json",
}

func secretSystem(file string) string {
	for _, place := range []string{"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/profile.d", "/etc/systemd"} {
		if file == place || strings.HasPrefix(file, place+"/") {
			return place
		}
	}
	if strings.HasPrefix(file, "/etc/cron") || strings.HasPrefix(file, "/var/spool/cron") {
		return "cron"
	}
	if ok, _ := path.Match("/proc/*/environ", file); ok {
		return "the environment of a process"
	}
	return ""
}

var secretNames = map[string]string{
	".netrc": ".netrc", "_netrc": ".netrc", ".npmrc": ".npmrc", ".pypirc": ".pypirc", ".pgpass": ".pgpass",
	".my.cnf": ".my.cnf", ".git-credentials": ".git-credentials", ".gitconfig": ".gitconfig",
	".vault-token": ".vault-token", ".envrc": ".envrc", ".htpasswd": ".htpasswd",
	"authorized_keys": "ssh keys", "id_rsa": "private key", "id_dsa": "private key", "id_ecdsa": "private key",
	"id_ed25519": "private key", "id_ecdsa_sk": "private key", "id_ed25519_sk": "private key",
	".bashrc": shellStart, ".bash_profile": shellStart, ".bash_login": shellStart, ".bash_logout": shellStart,
	".bash_aliases": shellStart, ".profile": shellStart, ".zshrc": shellStart, ".zshenv": shellStart,
	".zprofile": shellStart, ".zlogin": shellStart, ".zlogout": shellStart, ".cshrc": shellStart,
	".tcshrc": shellStart, ".kshrc": shellStart, ".login": shellStart, ".xprofile": shellStart,
	".xinitrc": shellStart, "config.fish": shellStart, "profile.ps1": shellStart,
	"microsoft.powershell_profile.ps1": shellStart,
}

const shellStart = "shell start-up file"

func secretName(name string) string {
	if why, ok := secretNames[name]; ok {
		return why
	}
	if name == ".env" {
		return ".env"
	}
	if kind, ok := strings.CutPrefix(name, ".env."); ok {
		switch kind {
		case "example", "sample", "template", "dist":
			return ""
		}
		return ".env"
	}
	switch path.Ext(name) {
	case ".pem", ".key", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx":
		return "private key"
	}
	return ""
}

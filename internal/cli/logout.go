package cli

import (
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// systemFiles is the root of the files that say what happens at logout.
const systemFiles = "/"

// logoutAdvice returns a line for a user whose kept sessions end at logout, because systemd-logind ends all processes
// of users who have logged out; "" if they do not.
func logoutAdvice(root string, uid int) string {
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return ""
	}
	if !exists(filepath.Join(root, "run/systemd/seats")) { // it does not run here
		return ""
	}
	if exists(filepath.Join(root, "var/lib/systemd/linger", u.Username)) {
		return ""
	}
	settings := map[string]string{"KillExcludeUsers": "root"}
	for _, file := range logindFiles(root) {
		text, _ := os.ReadFile(file)
		for line := range strings.SplitSeq(string(text), "\n") {
			if name, value, ok := strings.Cut(line, "="); ok {
				settings[strings.TrimSpace(name)] = strings.ToLower(strings.TrimSpace(value))
			}
		}
	}
	only := strings.Fields(settings["KillOnlyUsers"])
	if !slices.Contains([]string{"yes", "true", "1", "on", "y", "t"}, settings["KillUserProcesses"]) ||
		slices.Contains(strings.Fields(settings["KillExcludeUsers"]), u.Username) || len(only) > 0 && !slices.Contains(only, u.Username) {
		return ""
	}
	return "Logging out of this machine ends it, unless you type: loginctl enable-linger"
}

// logindFiles returns the files with the settings of systemd-logind, the one that counts most last.
func logindFiles(root string) (files []string) {
	byName := map[string]string{} // a file replaces those with its name in the directories before
	for _, dir := range []string{"usr/lib", "usr/local/lib", "run", "etc"} {
		dir = filepath.Join(root, dir, "systemd")
		if main := filepath.Join(dir, "logind.conf"); exists(main) {
			files = []string{main}
		}
		more, _ := filepath.Glob(filepath.Join(dir, "logind.conf.d/*.conf"))
		for _, file := range more {
			byName[filepath.Base(file)] = file
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		files = append(files, byName[name])
	}
	return files
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

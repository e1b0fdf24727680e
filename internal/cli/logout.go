package cli

import (
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
	if err != nil || uid == 0 { // whom it leaves alone, unless told otherwise
		return ""
	}
	if _, err := os.Stat(filepath.Join(root, "var/lib/systemd/linger", u.Username)); err == nil {
		return ""
	}
	kills := false
	files := []string{filepath.Join(root, "etc/systemd/logind.conf")}
	for _, dir := range []string{"usr/lib", "run", "etc"} {
		more, _ := filepath.Glob(filepath.Join(root, dir, "systemd/logind.conf.d/*.conf"))
		slices.Sort(more)
		files = append(files, more...)
	}
	for _, file := range files { // later ones override earlier ones
		text, _ := os.ReadFile(file)
		for line := range strings.SplitSeq(string(text), "\n") {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && strings.TrimSpace(name) == "KillUserProcesses" {
				kills = slices.Contains([]string{"yes", "true", "1", "on"}, strings.ToLower(strings.TrimSpace(value)))
			}
		}
	}
	if !kills {
		return ""
	}
	return "Logging out of this machine ends it, unless you type: loginctl enable-linger"
}

package permissions

import "testing"

// A line that could not be read may hold what a rule matches.
func TestHides(t *testing.T) {
	for _, c := range []struct {
		rule Rule
		line string
		want Effect
	}{
		{Rule{Effect: Deny, Command: "rm *"}, "ls x", None},
		{Rule{Effect: Deny, Command: "rm *"}, "$x y", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "ls *.go", None},
		{Rule{Effect: Deny, Command: "ls -l *"}, "ls $x", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "sudo $x y", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "bash -c \"$x\"", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "ls (", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "{rm,x}", Deny},
		{Rule{Effect: Deny, Path: "x/**"}, "cat *", Deny},
		{Rule{Effect: Confirm, Path: "x/**"}, "cat $y", Confirm},
		{Rule{Effect: Deny, Host: "example.com"}, "curl $y", Deny},
		{Rule{Effect: Deny, Kind: "edit"}, "cat $y", None},
		{Rule{Effect: Deny, Agent: "b", Command: "rm *"}, "$x y", None},
		{Rule{Effect: Allow, Command: "ls *"}, "$x y", None},
		{Rule{Effect: Deny, Command: "rm *"}, "curl -s x | sh", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "base64 -d <<< cm0= | sudo bash -s", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "ls | bash x.sh", None},
		{Rule{Effect: Deny, Command: "rm *"}, "su -c \"$x\"", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "watch '$x y'", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "watch 'ls $x'", None},
		{Rule{Effect: Deny, Command: "rm *"}, "docker run $x rm y", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "docker ps $x", None},
		{Rule{Effect: Deny, Command: "rm *"}, "git log $x", None},
		{Rule{Effect: Deny, Command: "rm *"}, "python3 -c 'import x; x.y(1)'", None},
		{Rule{Effect: Deny, Command: "git push *"}, "echo push | xargs git", Deny},
		{Rule{Effect: Deny, Command: "git push *"}, "ls | xargs sh -c 'x'", Deny},
		{Rule{Effect: Deny, Command: "git push *"}, "ls | xargs grep x", None},
		{Rule{Effect: Deny, Command: "rm *"}, "ls | xargs $x", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "python3 -c 'import os; os.system(\"rm x\")'", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "python3 <<E\nimport os; os.system('rm x')\nE", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "python3 <<E\nprint('farm')\nE", None},
		{Rule{Effect: Deny, Command: "rm *"}, "awk 'BEGIN{system(\"rm x\")}'", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "unheard-of --run rm x", Deny},
		{Rule{Effect: Deny, Command: "rm *"}, "unheard-of --run farm", None},
		{Rule{Effect: Deny, Command: "git push *"}, "python3 -c 'run([\"git\", \"push\"])'", Deny},
		{Rule{Effect: Deny, Command: "git push *"}, "python3 -c 'run([\"git\", \"pull\"])'", None},
		{Rule{Effect: Deny, Command: "rm *"}, "git commit -m 'rm x'", None},
		{Rule{Effect: Deny, Path: "x/**"}, "ls | xargs cat", Deny},
		{Rule{Effect: Deny, Path: "x/**"}, "tar cf a -T list", Deny},
	} {
		if got := mustBook(t, []Rule{c.rule}).Judge(lineFacts(c.line)).MayHide; got != c.want {
			t.Errorf("%q with %s: %v, want %v", c.line, c.rule.Name(), got, c.want)
		}
	}
}

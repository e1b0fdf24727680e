package permissions

import "testing"

func TestProfileWrappers(t *testing.T) {
	checkCovered(t, []covered{
		{"env GOOS=linux go build *", "env GOOS=linux go build ./x", Allow, "all is named"},
		{"env -u X -i go test *", "env -u X -i go test ./...", Allow, "options of env"},
		{"timeout 60 go test *", "timeout 60 go test ./...", Allow, "all is named"},
		{"timeout -k 5 60 go test *", "timeout -k 5 60 go test -v", Allow, "options of timeout"},
		{"timeout 60 python3 -m pytest *", "timeout 60 python3 -m pytest -q tests", Allow, "two in a row"},
		{"nice -n 10 make test *", "nice -n 10 make test -j4", Allow, "a target that is named"},
		{"nice -5 ls *", "nice -5 ls -l", Allow, "a number"},
		{"ionice -c 3 ls *", "ionice -c 3 ls -l", Allow, "a class"},
		{"nohup go test *", "nohup go test ./...", Allow, "all is named"},
		{"stdbuf -oL go test *", "stdbuf -oL go test ./...", Allow, "all is named"},
		{"setsid -w ls *", "setsid -w ls -l", Allow, "all is named"},
		{"sudo -n ls *", "sudo -n ls -l", Allow, "all is named"},
		{"command ls *", "command ls -l", Allow, "all is named"},
		{"command -v *", "command -v go gofmt", Allow, "only looked up"},
		{"command -V *", "command -V go", Allow, "only looked up"},
		{"npx jest *", "npx jest src -i", Allow, "a program that is named"},
		{"npx -y tsc *", "npx -y tsc --noEmit -p sub", Allow, "a program that is named"},
		{"env go env *", "env go env GOPATH", Allow, "a word of two programs"},

		{"env GOOS=linux go build *", "env GOOS=linux go build -toolexec ./x", None, "what the program's profile leaves out"},
		{"npx jest *", "npx jest -c x.js", None, "what the program's profile leaves out"},
		{"npx evil *", "npx evil --x", None, "a program that is not known"},
		{"env GOOS=linux go build *", "env GOOS=linux go build -o x", None, "a file is written"},
		{"timeout 60 go test *", "timeout 60 go test -exec ./x", None, "what the program's profile leaves out"},
		{"timeout 60 go test *", "timeout 60 go test ../x", None, "outside"},
		{"env -C sub ls *", "env -C sub ls ../..", None, "outside, from another directory"},
		{"timeout 60 make test *", "timeout 60 make test SHELL=./x", None, "a variable"},
		{"nice -n 10 make test *", "nice -n 10 make test deploy", None, "another target"},
		{"sudo -u root ls", "sudo -u root ls x", None, "another command"},
		{"command -v *", "command -p rm x", None, "not looked up"},
		{"stdbuf -oL python3 -m pytest *", "stdbuf -oL python3 -m pytest -p evil", None, "a plugin"},
	})
}

// A wrapper alone, or with unknown words, leaves open what runs.
func TestOpenWrappers(t *testing.T) {
	for _, command := range []string{"env *", "env -i *", "env A=b *", "env -u X *", "env -S *", "env -S 'rm x' *", "env --split-string=rm *", "timeout *", "timeout 5 *",
		"timeout -s 9 5 *", "timeout --foo 5 *", "gtimeout 5 *", "nice *", "nice -n 5 *", "nice -5 *", "ionice -c 3 *", "ionice -p 1 *", "nohup *", "time *", "time -o x *", "command *",
		"command -p *", "stdbuf -oL *", "setsid *", "setsid -f *", "sudo *", "sudo -n *", "sudo -u root *", "sudo A=b *", "timeout 5 sudo *", "sudo timeout 5 env *", "npx *", "npx -y *", "npx -p evil *", "npx -c *", "npx --no tsc *"} {
		if err := (&Rule{Effect: Allow, Command: command}).Compile(); err == nil {
			t.Errorf("%q may be allowed", command)
		}
	}
	for _, command := range []string{"env GOOS=linux go build *", "timeout 60 go test *", "timeout -s 9 5 ls *", "nice -n 5 ls *", "sudo -n ls *", "command -v *", "nohup make test *",
		"timeout 60 env A=b python3 -m pytest *"} {
		if err := (&Rule{Effect: Allow, Command: command}).Compile(); err != nil {
			t.Errorf("%q: got %v", command, err)
		}
	}
}

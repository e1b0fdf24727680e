package permissions

import "testing"

// A file of the project can take the place of a module that a harmless program loads.
func TestLoadedFromTheDirectory(t *testing.T) {
	b := rulebook(t, allowing("python3 -m json.tool *", "python3 -m mypy *", "python3 -m black *", "mypy *", "ps *", "cat *"))
	for _, c := range []struct {
		line  string
		names []string
		want  Effect
	}{
		{"python3 -m json.tool x.json", []string{"x.json", "main.py"}, Allow}, {"python3 -m json.tool x.json", []string{"json.py"}, None}, {"python3 -m json.tool x.json", []string{"argparse"}, None}, {"python3 -m json.tool x.json", []string{"re.cpython-312.so"}, None},
		{"python3 -m json.tool x.json", []string{"_json.py"}, None}, {"python3 -m json.tool x.json", []string{"runpy.pyc"}, None}, {"python3 -m json.tool x.json", []string{"json.txt", "re.md", "string.go"}, Allow},
		{"python3 -m mypy x.py", []string{"mypy.py"}, None}, {"python3 -m mypy x.py", []string{"mypy.ini", "x.py"}, Allow}, {"mypy x.py", []string{"types.py"}, Allow}, {"python3 -m black --check x.py", []string{"black"}, None},
		{"cat x | python3 -m json.tool", []string{"json.py"}, None}, {"cat json.py", []string{"json.py"}, Allow}, {"cd $x && python3 -m json.tool x", nil, None},
		{"ps -eo pid,args", nil, Allow}, {"ps -o pid,environ", nil, None}, {"ps -eo env", nil, None}, {"ps -p 1", nil, Allow}, {"ps auxe", nil, None}, {"ps -p 1 e", nil, None}, {"ps -E", nil, None}, {"ps eww", nil, None}, {"ps aux", nil, Allow}, {"ps aux e", nil, None}, {"ps e", nil, None}, {"ps -o pid e", nil, None}, {"ps -eo pid=,environ=", nil, None}, {"ps axe", nil, None}, {"ps -p 1 -E", nil, None},
	} {
		f := lineFacts(c.line)
		f.ListDir = func(string) ([]string, bool) { return c.names, true }
		if got := b.Judge(f); got.Effect != c.want {
			t.Errorf("%q beside %q is %v, want %v: %s", c.line, c.names, got.Effect, c.want, reasons(got))
		}
	}
}

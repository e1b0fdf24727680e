package markdown

import (
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/safetext"
	"parley/internal/text"
)

// role is what a run of text is, as bits.
type role uint8

const (
	roleStrong role = 1 << iota // the order of these three counts, see styled
	roleEmph
	roleStrike
	roleCode
	roleLink
	roleDim // the address after a link
)

// inlineRun is a run of text with its roles. The text is clean; a newline in
// it is a hard line break.
type inlineRun struct {
	text   string
	role   role
	target string // of a link, if a terminal can open it
}

// appendRun appends text, to the last run if that has the same role.
func appendRun(runs []inlineRun, text string, as role) []inlineRun {
	return appendLink(runs, text, as, "")
}

// appendLink appends text that links to a target; "" for none.
func appendLink(runs []inlineRun, text string, as role, target string) []inlineRun {
	if text == "" {
		return runs
	}
	if n := len(runs); n > 0 && runs[n-1].role == as && runs[n-1].target == target {
		runs[n-1].text += text
		return runs
	}
	return append(runs, inlineRun{text, as, target})
}

// inline flattens what is inside a paragraph, heading or cell.
func inline(runs []inlineRun, parent ast.Node, source []byte, as role) []inlineRun {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			words := string(n.Segment.Value(source))
			if !n.IsRaw() {
				words = unescape(words)
			}
			runs = appendRun(runs, oneLine(words), as)
			if n.HardLineBreak() {
				runs = appendRun(runs, "\n", as)
			} else if n.SoftLineBreak() {
				runs = appendRun(runs, " ", as)
			}
		case *ast.CodeSpan:
			runs = appendRun(runs, codeText(n, source), as|roleCode)
		case *ast.Emphasis:
			if n.Level > 1 {
				runs = inline(runs, n, source, as|roleStrong)
			} else {
				runs = inline(runs, n, source, as|roleEmph)
			}
		case *extast.Strikethrough:
			runs = inline(runs, n, source, as|roleStrike)
		case *ast.Link:
			runs = link(runs, n, source, as, n.Destination)
		case *ast.Image:
			runs = link(runs, n, source, as, n.Destination)
		case *ast.AutoLink:
			address := oneLine(string(n.Label(source)))
			runs = appendLink(runs, address, as|roleLink, linkTarget(address))
		case *extast.TaskCheckBox:
			if n.IsChecked {
				runs = appendRun(runs, "☑ ", as)
			} else {
				runs = appendRun(runs, "☐ ", as)
			}
		default:
			runs = inline(runs, n, source, as)
		}
	}
	return runs
}

// link shows the words of a link and its address after them; of an image, its
// description. The address is always in sight, so that words cannot hide where a
// link leads.
func link(runs []inlineRun, n ast.Node, source []byte, as role, destination []byte) []inlineRun {
	address := oneLine(unescape(string(destination)))
	target := linkTarget(address)
	words := inline(nil, n, source, as|roleLink)
	var text strings.Builder
	for _, r := range words {
		text.WriteString(r.text)
		runs = appendLink(runs, r.text, r.role, target)
	}
	if address == "" || address == text.String() {
		return runs
	}
	if text.Len() == 0 {
		return appendLink(runs, address, as|roleLink, target)
	}
	return appendLink(runs, " ("+address+")", as|roleDim, target)
}

// maxTarget is the longest address that is passed to the terminal, in bytes.
const maxTarget = 2000

// linkTarget returns an address as the terminal gets it to open, in printable ASCII;
// "" unless it is one of the web.
func linkTarget(address string) string {
	scheme, _, ok := strings.Cut(address, "://")
	if scheme = strings.ToLower(scheme); !ok || scheme != "http" && scheme != "https" {
		return ""
	}
	var b strings.Builder
	for i := range len(address) {
		if c := address[i]; c > 0x20 && c < 0x7f {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() > maxTarget {
		return ""
	}
	return b.String()
}

// codeText returns the text of a code span, which knows no escapes.
func codeText(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
		}
	}
	return oneLine(b.String())
}

// oneLine cleans s again, since a character reference can be any character, and
// replaces line breaks.
func oneLine(s string) string {
	s = safetext.Clean(s)
	if strings.ContainsAny(s, "\n\t") {
		s = strings.NewReplacer("\n", " ", "\t", " ").Replace(s)
	}
	return s
}

// unescape resolves backslash escapes and character references.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			end := strings.IndexByte(s[i:min(len(s), i+40)], ';')
			if end < 0 {
				b.WriteByte('&')
				continue
			}
			b.WriteString(html.UnescapeString(s[i : i+end+1]))
			i += end
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func isPunct(c byte) bool {
	return c > 0x20 && c < 0x7f && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9')
}

// styled returns runs in their styles, over the style of the block they are in.
func (r *Renderer) styled(runs []inlineRun, base text.Pen) string {
	t := &r.theme
	for _, run := range runs {
		p := base
		if run.role&roleCode == 0 { // nothing else of a code span is shown
			for i, attr := range [...]uint8{text.AttrBold, text.AttrItalic, text.AttrStrike} {
				if run.role&(roleStrong<<i) != 0 {
					p.Attrs |= attr
				}
			}
		}
		if run.role&roleLink != 0 {
			p = t.link.Over(p)
		}
		if run.role&roleCode != 0 {
			p = t.code.Over(p)
		}
		if run.role&roleDim != 0 {
			p = t.dim.Over(base)
		}
		if t.links {
			p.Link = run.target
		}
		r.row.AddRun(run.text, p)
	}
	return r.row.Finish()
}

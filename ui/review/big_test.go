package review

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func manyLines(n int, word string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d %s\n", i, word)
	}
	return b.String()
}

func manyFiles(n int) (files []onDisk) {
	for i := range n {
		files = append(files, changedFile(fmt.Sprintf("d%02d/file%04d.go", i%40, i), "func a() {}\n", fmt.Sprintf("func b%d() {}\n", i)))
	}
	return files
}

// Of 2,000 files and 100,000 lines only what is visible is drawn, and few are kept in memory.
func TestBig(t *testing.T) {
	g := newRig(t, append(manyFiles(2000), changedFile("a.go", manyLines(100_000, "a"), manyLines(100_000, "b")))...)
	g.sees("2,001 files +102000 −102000", "hunk 1 of 1")
	reads := g.reads
	g.press("G")
	g.sees("+ 99999 b")
	g.press("g", "j", "space")
	g.screen()
	if g.reads != reads {
		t.Errorf("scrolling read %d times", g.reads-reads)
	}
	for range 100 {
		g.press("}")
	}
	g.sees("file 101 of 2001")
	docs := 0
	for _, f := range g.r.files {
		if f.doc != nil {
			docs++
		}
	}
	if docs > maxDocuments+1 {
		t.Errorf("%d documents are kept", docs)
	}
	g.press("/")
	g.types("b1999()")
	began := time.Now()
	g.press("enter")
	g.sees("+ func b1999()")
	t.Logf("searched 2,000 files in %v", time.Since(began))
}

func BenchmarkFrameOf100000Lines(b *testing.B) {
	g := newRig(&testing.T{}, append(manyFiles(2000), changedFile("a.go", manyLines(100_000, "a"), manyLines(100_000, "b")))...)
	g.r.scroll(100_000)
	for b.Loop() {
		g.r.scroll(1)
		g.r.Rows(120, 50)
	}
}

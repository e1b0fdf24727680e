package demo

import (
	"fmt"
	"strings"
)

// longSections is the number of sections in the long answer, about 25 lines each.
const longSections = 16

// longSpeed is how many times faster than other prose the long answer streams.
const longSpeed = 8

// long streams several hundred lines of varied Markdown.
func (t *turn) long() error {
	return t.stream("agent_message_chunk", longText(longSections), longSpeed)
}

func longText(sections int) string {
	var b strings.Builder
	b.WriteString("# A long answer\n\n")
	for n := 1; n <= sections; n++ {
		fmt.Fprintf(&b, "## Section %d of %d\n\n", n, sections)
		b.WriteString("Some *emphasis*, some **strength**, some `code`, and a [link](https://example.com/section/" + fmt.Sprint(n) + ").\n\n")
		longBlocks[(n-1)%len(longBlocks)](&b, n)
		fmt.Fprintf(&b, "\n> Section %d ends here.\n\n", n)
	}
	return b.String()
}

var longBlocks = []func(*strings.Builder, int){longList, longGo, longTable, longScripts, longBash}

func longList(b *strings.Builder, n int) {
	for i := 1; i <= 6; i++ {
		fmt.Fprintf(b, "- item %d.%d\n  - below it, with `code` and *emphasis*\n", n, i)
	}
	b.WriteString("\n")
	for i := 1; i <= 4; i++ {
		fmt.Fprintf(b, "%d. step %d of the numbered list\n", i, i)
	}
	b.WriteString("\n- [x] done\n- [ ] still to do\n")
}

func longGo(b *strings.Builder, n int) {
	fmt.Fprintf(b, "```go\n// Sum%[1]d adds up numbers.\nfunc Sum%[1]d(numbers ...int) (total int) {\n", n)
	b.WriteString("\tfor _, x := range numbers {\n\t\tif x < 0 {\n\t\t\tcontinue // only what is there counts\n\t\t}\n\t\ttotal += x\n\t}\n\treturn total\n}\n\n")
	fmt.Fprintf(b, "func main() {\n\tfmt.Printf(\"%%d\\n\", Sum%d(1, 2, 3))\n}\n```\n\n", n)
	b.WriteString("### What it does\n\nIt adds up what is not negative, which makes a line long enough to be wrapped at the widths that terminals usually have.\n")
}

func longTable(b *strings.Builder, n int) {
	b.WriteString("| number | square | words |\n|---:|---:|:---|\n")
	for i := n; i < n+12; i++ {
		fmt.Fprintf(b, "| %d | %d | the square of %d |\n", i, i*i, i)
	}
	b.WriteString("\n---\n")
}

func longScripts(b *strings.Builder, _ int) {
	b.WriteString("中文：终端里的宽字符占两格，换行要算对。\n\n日本語：全角の文字は二桁の幅があります。\n\n한국어: 한글도 두 칸을 차지합니다.\n\n")
	b.WriteString("Emoji: 🙂 🚀 👩‍💻 👨‍👩‍👧 🇫🇷 ✅ and e\u0301 with a combining accent.\n\n")
	b.WriteString("| 言語 | 例 |\n|---|---|\n| 中文 | 你好，世界 |\n| 日本語 | こんにちは |\n| 한국어 | 안녕하세요 |\n| emoji | 🎉🎊 |\n\n")
	b.WriteString("Жирный **текст**, ελληνικά, and ~~struck out~~ words.\n\n- 一\n- 二\n- 三\n")
}

func longBash(b *strings.Builder, n int) {
	fmt.Fprintf(b, "```bash\n#!/usr/bin/env bash\nset -eu\nfor i in $(seq 1 %d); do\n  echo \"line $i\" | tr a-z A-Z\ndone\n", n)
	b.WriteString("if [ -f notes.txt ]; then\n  wc -l < notes.txt\nelse\n  echo 'no notes' >&2\nfi\n```\n\n")
	b.WriteString("And what it prints:\n\n```text\nLINE 1\nLINE 2\n```\n\n1. first\n   1. nested\n   2. nested again\n2. second\n\n\tan indented block\n")
}

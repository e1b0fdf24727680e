// Command bench measures parley in a pseudo terminal and prints one table:
//
//	go run ./testdata/bench [-rounds 5] [-only flood,paced] [-n 1000000] [-seconds 8] [-parley PATH]
//
// Every figure is the median of several rounds. Its baseline is measured in the same round,
// immediately before or after, so that the ratio is meaningful on a busy machine too. The
// table names the baseline of each figure:
//
//   - split: a bare loop that starts the same agent, reads its output and splits it into
//     lines, and does nothing else;
//   - tea: a bare Bubble Tea program that starts the same agent, draws the end of its text
//     and has an input line;
//   - another figure of the same round, if that says more.
//
// The program is its own agent, bare loop and bare Bubble Tea program; the first argument
// selects which. Processor time is that of a process and everything it has started, without
// the agent, from /proc. That is why the program needs Linux.
//
// The letters that mark something on the screen come from alphabets that the text does not
// use. Each is used once in the life of a process, because a renderer that sends only what has
// changed would not write it a second time.
package main

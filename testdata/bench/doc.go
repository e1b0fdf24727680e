// Command bench measures parley in a pseudo terminal and prints one table:
//
//	go run ./testdata/bench [-rounds 5] [-only flood,paced] [-n 1000000] [-seconds 8] [-parley PATH]
//
// Every figure is the median of several rounds. A baseline is taken in the same
// round, a moment before or after, so the ratio means something on a machine
// that does other work, too; what the baseline is stands beside each figure:
//
//   - split: a bare loop that starts the same agent, reads what it sends and
//     cuts it into lines, and does nothing else;
//   - tea: a bare Bubble Tea program that starts the same agent, draws the end
//     of the text it sends, and has a line to type into;
//   - another figure of the same round, where that says more.
//
// The program is its own agent, its own loop and its own Bubble Tea program: the
// first argument says so. Processor time is that of a process with all it has
// started, without the agent, from /proc; that is why all of it needs Linux.
//
// Letters by which something is recognised on the screen come from alphabets
// that the text does not use, and each is used once in the life of a process: a
// renderer that sends only what differs would be silent about the second.
package main

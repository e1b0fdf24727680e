package paint

import "golang.org/x/sys/windows"

// enableSequences makes a console obey escape sequences, until restore is called. Bubble Tea
// does so too, but ends it before the last rows are printed.
func enableSequences(fd uintptr) (restore func()) {
	var mode uint32
	console := windows.Handle(fd)
	if windows.GetConsoleMode(console, &mode) != nil {
		return func() {}
	}
	_ = windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	return func() { _ = windows.SetConsoleMode(console, mode) }
}

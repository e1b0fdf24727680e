// Package attacks plays the attacks of testdata/attacks: agents that try to get
// at what they were not given, to show what was not asked, to draw what nobody
// wrote, or to bring parley down. It holds tests only.
//
// Each attack is a file: what is tried, what the agent does, and what must hold
// afterwards. The agent is a process of its own that says what the test tells it
// to; everything between its lines and the rows of the transcript is parley's.
//
// An attack is a txtar archive. Its comment says what is tried. The files in/…
// and out/… stand inside and outside the session's directory. The others:
//
//	setup     lines of link PATH TARGET, fifo PATH, mkdir PATH
//	hello     what the agent answers to initialize, session: to session/new
//	user      "rejects" or "allows": what becomes of every question; without it
//	          the script says so
//	protocol  "2": the agent speaks v2; it is handed the tools of parley. Its first
//	          prompt is inserted already
//	script    what happens while a prompt is under way
//	holds     what must hold behind it
//
// A script:
//
//	call ID METHOD {json}    the agent asks for something; ID as JSON
//	note METHOD {json}       it tells something
//	update {json}            it sends a session/update of s1
//	raw TEXT                 it writes a line; quoted as in Go where it begins with "
//	part TEXT                the same without the end of the line
//	stderr TEXT              the same to stderr
//	times N STEP             does one of these N times; $n counts from 0. Without PARLEY_LONG,
//	                         of 10,000 or more only the last tenth is done
//	exit CODE                it ends
//	cut                      it closes its output, and lives on
//	owed ID                  a raw line was a call of this ID
//	answered ID ok TEXT      waits for the answer to a call; TEXT stands in it
//	answered ID error CODE TEXT; both may be left out
//	asked TEXT               waits for the next question; TEXT is there to read
//	unasked                  waits until all of this was read: no question is open
//	user OPTION              answers it; user cancels stops the turn
//	do write PATH TEXT       changes the disk; also do link, do remove, do move, do mkdir
//	new                      the user opens another session: s2, s3, …
//	fails {json}             the agent answers the prompt with an error
//
// Of v2 alone:
//
//	prompts TEXT             the user sends one more prompt; it waits
//	inserts                  the agent inserts the oldest one that waits
//	idles                    it says that it is idle
//	knock N TEXT             it shows the token of session N, or the token N, at the door
//	                         of the tools, which answers TEXT
//	tool "ID" NAME {json}    it calls a tool; what comes back is answered "ID"
//
// What must hold:
//
//	no file changed          nothing in in/ and out/ is otherwise than at the start
//	holds PATH TEXT          the file is exactly TEXT, quoted
//	questions N              so many were asked
//	opens nothing            no page that it wants opened may be
//	never hears TEXT         the agent was never sent TEXT
//	hears TEXT
//	shows TEXT               it stands in the transcript
//	hides TEXT               it does not
//	logs TEXT                it stands in the log
//	keeps below N MiB        that is what memory has grown by at most
//	lives                    another prompt is answered and shown
//	ends                     the connection is over, and the transcript says so
//
// $IN and $OUT are the two directories, $HOME is the home directory, made of decoys,
// $TERMINAL is the terminal made last, ${a*1000} is a thousand times a. Always
// checked: every call was answered once, no row of the transcript and no string
// of an event, a question or the log can act on a terminal, and nothing in out/ or
// in the home directory has changed.
package attacks

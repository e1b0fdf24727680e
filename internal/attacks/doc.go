// Package attacks plays the attacks of testdata/attacks: agents that try to read or change what
// they may not, to show or draw something false, or to crash parley. It contains only tests.
//
// The agent is a separate process that sends what the test tells it to. Everything between its
// lines and the rows of the transcript is parley's own code.
//
// An attack is a txtar archive. Its comment says what is tried. Files in/… and out/… are inside and
// outside the session's directory. The others are:
//
//	setup     lines of link PATH TARGET, fifo PATH, mkdir PATH
//	hello     the agent's answer to initialize, session: to session/new
//	user      "rejects" or "allows": how every question is answered; without it the
//	          script answers
//	protocol  "2": the agent speaks v2 and gets the tools of parley. Its first prompt is
//	          inserted already
//	script    what happens during a prompt
//	holds     what must hold afterwards
//
// A script:
//
//	call ID METHOD {json}    the agent sends a request; ID as JSON
//	note METHOD {json}       it sends a notification
//	update {json}            it sends a session/update of s1
//	raw TEXT                 it writes a line; quoted as in Go if it begins with "
//	part TEXT                the same without the end of the line
//	stderr TEXT              the same to stderr
//	times N STEP             does one of these N times; $n counts from 0. Without PARLEY_LONG,
//	                         of 10,000 or more only the last tenth is done
//	exit CODE                it exits
//	cut                      it closes its output and keeps running
//	owed ID                  a raw line was a request with this ID
//	answered ID ok TEXT      waits for the answer to a request; it contains TEXT
//	answered ID error CODE TEXT; both may be left out
//	asked TEXT               waits for the next question; it shows TEXT
//	unasked                  waits until all of this was read: no question is open
//	user OPTION              answers the question; user cancels stops the turn
//	do write PATH TEXT       changes the disk; also do link, do remove, do move, do mkdir
//	new                      the user opens another session: s2, s3, …
//	fails {json}             the agent answers the prompt with an error
//
// Only in v2:
//
//	prompts TEXT             the user sends one more prompt; it waits
//	inserts                  the agent inserts the oldest waiting prompt
//	idles                    it reports that it is idle
//	knock N TEXT             it connects to the tools with the token of session N, or with the
//	                         token N; the first line of the answer begins with TEXT
//	tool "ID" NAME {json}    it calls a tool; the result is answered "ID"
//
// What must hold:
//
//	no file changed          everything in in/ and out/ is as at the start
//	holds PATH TEXT          the file contains exactly TEXT, quoted
//	questions N              the number of questions
//	opens nothing            no page can be opened
//	never hears TEXT         the agent was never sent TEXT
//	hears TEXT               the agent was sent TEXT
//	shows TEXT               the transcript contains TEXT
//	hides TEXT               it does not
//	logs TEXT                the log contains TEXT
//	keeps below N MiB        memory has grown by less than that
//	lives                    another prompt is answered and shown
//	ends                     the connection is over, and the transcript says so
//
// $IN and $OUT are the two directories, $HOME is a home directory of decoys, $TERMINAL is the newest
// terminal, ${a*1000} is a thousand times a. Every attack also checks that each request was answered
// once, that no row of the transcript and no string of an event, a question or the log contains a
// control sequence, and that nothing in out/ or in the home directory has changed.
package attacks

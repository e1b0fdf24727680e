package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/fsops"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/permissions"
)

// fileGrant is the grant to read a file, or with the kind edit to write it.
func fileGrant(kind, file string) string { return kind + " " + file }

// files implements acpclient.FS.
type files Host

// errDenied is sent to the agent when the user refuses. Neither JSON-RPC nor ACP has a code for that.
// This one suggests no action to an agent; others would have it correct its request, log in, or create
// the file.
func errDenied(what string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInternalError, "The user did not allow it: %s", what)
}

// ReadTextFile implements acpclient.FS. Reading inside the session's directories needs no question,
// except for sensitive files.
func (f *files) ReadTextFile(r wire.ReadTextFileRequest) func(context.Context) (string, error) {
	h := (*Host)(f)
	ticket := h.files.Reserve(r.SessionID, r.Path)
	return func(ctx context.Context) (string, error) {
		defer ticket.Done()
		if err := ticket.Wait(ctx); err != nil {
			return "", err
		}
		target, err := h.files.Resolve(r.SessionID, r.Path)
		if err != nil {
			return "", err
		}
		var key uint64
		if !target.Inside || target.Secret != "" || h.ruled(r.SessionID, h.fileFacts(r.SessionID, "read", target)) {
			if !target.Exists && target.Inside {
				return "", fmt.Errorf("read %s: %w", r.Path, fs.ErrNotExist)
			}
			q := h.fileQuestion(r.SessionID, "read", "Read", target)
			var ok bool
			if _, key, ok = h.ask(ctx, q); !ok {
				return "", errDenied("reading " + r.Path)
			}
			if err := h.sameTarget(r.SessionID, target); err != nil && target.Inside { // outside the roots no link is followed
				h.came(r.SessionID, key, "", err)
				return "", fmt.Errorf("read %s: %w", r.Path, err)
			}
		}
		text, err := h.files.Read(r.SessionID, allowedPath(target), fsops.Window{Line: r.Line, Limit: r.Limit}, !target.Inside)
		h.came(r.SessionID, key, "read", err)
		return text, err
	}
}

// allowedPath returns the path that was shown: outside the session's directories no link is followed.
func allowedPath(t fsops.Target) string {
	if t.Inside {
		return t.Path
	}
	return t.Resolved
}

// WriteTextFile implements acpclient.FS. A write needs no question if the user has just approved
// exactly it.
func (f *files) WriteTextFile(r wire.WriteTextFileRequest) func(context.Context) error {
	h := (*Host)(f)
	ticket := h.files.Reserve(r.SessionID, r.Path)
	return func(ctx context.Context) error {
		defer ticket.Done()
		if err := ticket.Wait(ctx); err != nil {
			return err
		}
		target, err := h.files.Resolve(r.SessionID, r.Path)
		if err != nil {
			return err
		}
		return h.write(ctx, r, target)
	}
}

// whyAskedAgain says why parley asks although the agent asked, in the question with that key. With ruled, a
// rule overrides the answer.
func whyAskedAgain(key uint64, ruled bool) string {
	switch {
	case key == 0:
		return ""
	case ruled:
		return "a rule or the mode wants a question about it"
	}
	return "not exactly what the agent asked for"
}

// write carries out an approved write, or asks.
func (h *Host) write(ctx context.Context, r wire.WriteTextFileRequest, target fsops.Target) error {
	if h.keepsOut(r.SessionID, target) {
		return h.refuse(ctx, h.fileQuestion(r.SessionID, "edit", "Write", target), permissions.BySandbox, "writing "+r.Path)
	}
	before := h.look(r.SessionID, target)
	state := h.files.Stat(r.SessionID, r.Path)
	var key uint64
	text := r.Content
	ruled := h.ruled(r.SessionID, h.fileFacts(r.SessionID, "edit", target))
	if before.err == nil && !ruled {
		key = h.granted(r.SessionID, func(g *grants) uint64 { return g.write(target, before, r.Content, state) })
	}
	if key == 0 {
		var a permissions.Answer
		var ok bool
		q := h.writeQuestion(r, target, before)
		q.RepeatReason = whyAskedAgain(h.granted(r.SessionID, func(g *grants) uint64 { return g.about(target) }), ruled)
		if a, key, ok = h.ask(ctx, q); !ok {
			if a.Text != nil {
				h.came(r.SessionID, key, "not written: nothing of the change was left", nil)
			}
			return errDenied("writing " + r.Path)
		}
		if a.Text != nil {
			text = *a.Text
		}
		if err := h.unchanged(r.SessionID, target, before); err != nil {
			h.came(r.SessionID, key, "", err)
			return fmt.Errorf("write %s: %w", r.Path, err)
		}
	}
	if h.opts.OnName != nil && h.shared() { // an earlier look at it must not find what is written now
		waitLooked(ctx, h.reportNamed(r.SessionID, []inputFile{{path: r.Path, write: true}}))
	}
	w, err := h.files.Write(r.SessionID, allowedPath(target), text, !target.Inside)
	h.came(r.SessionID, key, "written", err)
	if err != nil {
		return err
	}
	if h.opts.OnWrite != nil {
		h.opts.OnWrite(r.SessionID, w, text)
	}
	after := h.files.Stat(r.SessionID, r.Path)
	h.granted(r.SessionID, func(g *grants) uint64 {
		if text == r.Content {
			g.wrote(target.Resolved, text, state, after, key)
		} else { // what else was approved was for another text
			g.forget(target.Resolved)
		}
		return 0
	})
	added, removed := countLines(before.text, text)
	h.opts.Sink.Post(event.FileWritten{For: event.For{Session: r.SessionID, Wire: acpclient.SpanOf(ctx)}, Path: safetext.Line(w.Path, 2000),
		Added: added, Removed: removed})
	if text != r.Content {
		return errChangedByUser(r.Path, r.Content, text)
	}
	return nil
}

// content is the content of a file before a write.
type content struct {
	text  string
	isNew bool  // there is no file
	err   error // why text is unknown; then isNew is false
}

// look reads what a write would replace, to show it.
func (h *Host) look(session string, t fsops.Target) content {
	if !t.Inside && !t.Exists {
		return content{isNew: true} // looking at a remote path can send credentials
	}
	text, err := h.files.Read(session, allowedPath(t), fsops.Window{}, !t.Inside)
	if errors.Is(err, fs.ErrNotExist) {
		return content{isNew: true}
	}
	return content{text: text, err: err}
}

// errChanged says that an allowed operation is no longer what would be done.
var errChanged = errors.New("the file changed while the question was open")

// sameTarget checks that a path still leads where it did when it was shown: questions can stay open for
// long.
func (h *Host) sameTarget(session string, t fsops.Target) error {
	now, err := h.files.Resolve(session, t.Path)
	if err == nil && (now.Resolved != t.Resolved || now.Inside != t.Inside || now.Secret != t.Secret) {
		err = errChanged
	}
	return err
}

// unchanged is sameTarget for a write. It also checks that the file contains what was shown.
func (h *Host) unchanged(session string, t fsops.Target, before content) error {
	if err := h.sameTarget(session, t); err != nil {
		return err
	}
	if again := h.look(session, t); again.text != before.text || again.isNew != before.isNew {
		return errChanged
	}
	return nil
}

func (h *Host) writeQuestion(r wire.WriteTextFileRequest, t fsops.Target, before content) permissions.Question {
	verb := "Change"
	switch {
	case !t.Inside || before.err != nil:
		verb = "Write"
	case before.isNew:
		verb = "Create"
	}
	q := h.fileQuestion(r.SessionID, "edit", verb, t)
	if before.err != nil {
		q = granting(q, "replace "+t.Resolved) // no other question showed what is lost
		q.Body = append(q.Body, permissions.Part{Kind: permissions.Warning, Text: "what it holds now cannot be shown: " + visiblePath(before.err.Error())})
	}
	q.Body = append(q.Body, permissions.Part{Kind: permissions.Diff, Path: visiblePath(r.Path),
		Old: safetext.Visible(before.text), Text: safetext.Visible(r.Content), NewFile: before.isNew, Named: true})
	if before.err == nil {
		q.Change = &permissions.Change{Path: r.Path, Old: before.text, New: r.Content}
	}
	if root := h.dirs(r.SessionID).rootOf(t); root != "" && t.Inside && t.Secret == "" && before.err == nil {
		all, place := "all edits in "+root, visiblePath(permissions.FromHome(root))
		if tree, inside := words.WorktreeOf(root, h.opts.Worktrees); tree != "" && inside == "" {
			place = "worktree " + visiblePath(tree)
		}
		q.Options = append(q.Options, permissions.Option{ID: "edits", Kind: permissions.AllowAlways, Grant: all, Wide: true,
			Name: "Allow all edits in " + place + " until this session ends"})
	}
	return q
}

// fileQuestion returns a question of parley about one file.
func (h *Host) fileQuestion(session, kind, verb string, t fsops.Target) permissions.Question {
	if !t.Inside {
		verb += " outside the project:"
	}
	q := permissions.Question{Session: session, Origin: permissions.FromParley, Kind: kind, Heading: verb + " " + h.shownPath(session, t.Path),
		Outside: !t.Inside, Secret: t.Secret != "", Facts: h.fileFacts(session, kind, t)}
	if t.Symlink {
		q.Body = append(q.Body, permissions.Part{Kind: permissions.Warning, Text: "really " + visiblePath(t.Resolved)})
	}
	if t.Secret != "" {
		q.Body = append(q.Body, permissions.Part{Kind: permissions.Warning, Text: "sensitive: " + t.Secret})
	}
	return granting(q, fileGrant(kind, t.Resolved))
}

// granting returns a question of parley's with its options. One of them grants what the question shows
// for the rest of the session.
func granting(q permissions.Question, grant string) permissions.Question {
	q.Options = []permissions.Option{
		{ID: "once", Name: "Allow once", Kind: permissions.AllowOnce},
		{ID: "session", Name: "Allow for this session", Kind: permissions.AllowAlways, Grant: grant},
		{ID: "reject", Name: "Reject", Kind: permissions.RejectOnce},
	}
	return q
}

// ask asks one of parley's own questions and returns the answer, its key and whether it was allowed.
func (h *Host) ask(ctx context.Context, q permissions.Question) (permissions.Answer, uint64, bool) {
	p := h.broker.Ask(q)
	for_ := event.For{Session: q.Session}
	h.opts.Sink.Post(event.PermissionRequested{For: event.For{Session: q.Session, Wire: acpclient.SpanOf(ctx)}, Key: p.Question.Key, At: time.Now()})
	a := p.Wait(ctx)
	e := settledEvent(q, a)
	e.For, e.Key = for_, p.Question.Key
	h.opts.Sink.Post(e)
	return a, e.Key, e.Allowed
}

// countLines estimates how many lines a write adds and removes, by how often each line occurs.
func countLines(before, after string) (added, removed int) {
	count := map[string]int{}
	for _, l := range splitLines(before) {
		count[l]--
	}
	for _, l := range splitLines(after) {
		count[l]++
	}
	for _, n := range count {
		if n > 0 {
			added += n
		} else {
			removed -= n
		}
	}
	return added, removed
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

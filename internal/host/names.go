package host

import (
	"context"

	"parley/acpclient/wire"
)

// maxSeen bounds the paths of a session that were reported because a tool call named them.
const maxSeen = 10_000

// names implements acpclient.Services.Names: it reports files that a tool call names for the first time.
func (h *Host) names(session string, t wire.ToolCall) {
	if h.opts.OnName == nil || !h.shared() || t.Content == nil && t.Locations == nil && len(t.RawInput) == 0 {
		return
	}
	var unseen []inputFile
	files := filesOf(t)
	h.mu.Lock()
	if s := h.sessions[session]; s != nil {
		for _, f := range files {
			if written, seen := s.seen[f.path]; (!seen || f.write && !written) && len(s.seen) < maxSeen {
				s.seen[f.path] = f.write
				unseen = append(unseen, f)
			}
		}
	}
	h.mu.Unlock()
	if len(unseen) > 0 {
		h.reportNamed(session, unseen)
	}
}

// filesOf returns the files that a tool call names, as received.
func filesOf(t wire.ToolCall) []inputFile {
	in := inputOf(t)
	in.addNamed(t)
	for i := range in.files {
		f := &in.files[i]
		f.write = in.writesTo(*f, text(t.Kind))
	}
	return in.files[:min(len(in.files), maxPaths)]
}

// reportNamed reports named files: those in the session's directories, sensitive ones only if they are
// written. The channel is closed when they have been looked at.
func (h *Host) reportNamed(session string, files []inputFile) (looked <-chan struct{}) {
	return h.opts.OnName(session, func() (paths []string) {
		for _, f := range files {
			at := h.find(session, f.path)
			if !at.elsewhere && at.err == nil && at.target.Inside && (at.target.Secret == "" || f.write) {
				paths = append(paths, at.target.Resolved)
			}
		}
		return paths
	})
}

// waitLooked waits until named files have been looked at, so that an approved write cannot come before.
// looked may be nil.
func waitLooked(ctx context.Context, looked <-chan struct{}) {
	if looked == nil {
		return
	}
	select {
	case <-looked:
	case <-ctx.Done():
	}
}

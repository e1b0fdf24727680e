package fsops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxLinks = 255      // links followed for one path; the kernels stop at 32 to 63
	maxPath  = 32 << 10 // bytes; no system accepts more, and each component costs an lstat
)

// Target says where a path leads. The file system may change afterwards; Read and Write check
// again.
type Target struct {
	Path     string // cleaned, as requested
	Resolved string // with symbolic links followed as far as the path exists
	Inside   bool   // Resolved is below a root of the session
	Exists   bool
	Symlink  bool   // a link was followed, other than one above the root
	Secret   string // "" or why the file is sensitive, e.g. "git hook"
}

// Resolve says where a path leads. A path that does not exist is no error.
func (s *Service) Resolve(session, path string) (Target, error) {
	sess, release, err := s.use(session)
	if err != nil {
		return Target{}, fmt.Errorf("resolve %s: %w", path, err)
	}
	defer release()
	t, _, err := sess.resolve(path)
	if err != nil {
		return Target{}, fmt.Errorf("resolve %s: %w", path, err)
	}
	return t, nil
}

// resolve also returns the innermost root that contains the path; nil if none does.
func (sess *session) resolve(path string) (Target, *root, error) {
	clean, err := checkPath(path)
	if err != nil {
		return Target{}, nil, err
	}
	if isRemote(clean) && !sess.namesRoot(clean) {
		// Merely looking at \\host\share sends the user's credentials to host.
		return Target{Path: clean, Resolved: clean, Secret: secret(clean)}, nil, nil
	}
	resolved, exists, err := followLinks(clean)
	if err != nil {
		return Target{}, nil, err
	}
	if hasDotDot(path) {
		// Most programs drop "x/.." from a path, kernels follow a link x first.
		physical, _, err := followLinks(path)
		if err != nil {
			return Target{}, nil, err
		}
		if physical != resolved {
			return Target{}, nil, ErrAmbiguous
		}
	}
	t := Target{Path: clean, Resolved: resolved, Exists: exists, Symlink: resolved != clean}
	r := sess.holding(resolved)
	if r != nil {
		t.Inside = true
		t.Symlink = t.Symlink && !r.sameBelow(clean, resolved)
	}
	t.Secret = secret(clean)
	if t.Secret == "" {
		t.Secret = secret(resolved)
	}
	return t, r, nil
}

func checkPath(path string) (string, error) {
	switch {
	case len(path) > maxPath:
		return "", fmt.Errorf("the path has %d bytes: %w", len(path), fs.ErrInvalid)
	case strings.IndexByte(path, 0) >= 0:
		return "", fmt.Errorf("the path holds a NUL byte: %w", fs.ErrInvalid)
	case !filepath.IsAbs(path):
		return "", ErrRelative
	}
	clean := filepath.Clean(path)
	if err := checkNames(clean); err != nil {
		return "", err
	}
	return clean, nil
}

func hasDotDot(path string) bool {
	for part := range strings.FieldsFuncSeq(path, isSeparator) {
		if part == ".." {
			return true
		}
	}
	return false
}

func isSeparator(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }

// holding returns the longest root that contains a resolved path; nil if none does.
func (sess *session) holding(resolved string) *root {
	var best *root
	for i := range sess.roots {
		r := &sess.roots[i]
		if _, ok := below(r.real, resolved); ok && (best == nil || len(r.real) > len(best.real)) {
			best = r
		}
	}
	return best
}

// namesRoot reports whether a path is below a root by its name alone.
func (sess *session) namesRoot(clean string) bool {
	for _, r := range sess.roots {
		if _, ok := below(r.asked, clean); ok {
			return true
		}
		if _, ok := below(r.real, clean); ok {
			return true
		}
	}
	return false
}

// sameBelow reports whether the requested path and the resolved one differ only in how the root is
// named: a project opened through a link is normal.
func (r *root) sameBelow(asked, resolved string) bool {
	to, ok := below(r.real, resolved)
	if !ok {
		return false
	}
	from, ok := below(r.asked, asked)
	return ok && from == to
}

func below(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}

// followLinks returns path with all symbolic links followed, including a dangling last one.
// Components that do not exist are kept.
func followLinks(path string) (resolved string, exists bool, err error) {
	volume := filepath.VolumeName(path)
	top := volume + string(filepath.Separator)
	cur, exists := top, true
	pending := split(path[len(volume):])
	for links := 0; len(pending) > 0; {
		part := pending[0]
		pending = pending[1:]
		if part == ".." {
			// cur holds no links, so this is the true parent.
			cur, exists = filepath.Dir(cur), true
			continue
		}
		next := filepath.Join(cur, part)
		target, found, err := readLink(next)
		if err != nil {
			return "", false, err
		}
		if target == "" {
			cur, exists = next, found
			continue
		}
		if links++; links > maxLinks {
			return "", false, fmt.Errorf("too many symbolic links: %w", fs.ErrInvalid)
		}
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			cur, exists = volume+string(filepath.Separator), true
			target = target[len(volume):]
		}
		pending = append(split(target), pending...)
	}
	return cur, exists, nil
}

func split(path string) []string {
	parts := strings.FieldsFunc(path, isSeparator)
	kept := parts[:0]
	for _, part := range parts {
		if part != "." {
			kept = append(kept, part)
		}
	}
	return kept
}

// readLink returns the target of a link, or "" for anything else. Any error other than a missing
// file is returned: what cannot be checked is refused.
func readLink(path string) (target string, exists bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist) || IsNotDir(err):
		return "", false, nil
	default:
		return "", false, cause(err)
	}
	if info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) == 0 {
		return "", true, nil
	}
	target, err = os.Readlink(path)
	switch {
	case err == nil && target != "":
		return target, true, nil
	case info.Mode()&fs.ModeSymlink == 0:
		return "", true, nil // Windows: a reparse point that is not a link
	case err == nil:
		return "", false, fmt.Errorf("empty symbolic link: %w", fs.ErrInvalid)
	}
	return "", false, cause(err)
}

// cause removes the system call and name of an os error, which the message already has, and maps
// the escape error of os.Root to ErrOutsideRoot.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	// os.Root does not export its error.
	if err.Error() == "path escapes from parent" {
		return ErrOutsideRoot
	}
	return err
}

package undo

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"parley/internal/gitsafe"
)

const (
	// maxLoose is about how many objects outside packs are linked. Git packs them when there are more.
	maxLoose = 8000
	// maxBatch is how many bytes of blobs are read at once.
	maxBatch = 16 << 20
)

// openObjects makes a repository in dir that has the objects of another one, and nothing of its configuration.
// They are linked if possible, so that they outlive the other one: an agent may remove it.
func openObjects(dir string, repo repository) error {
	objects := filepath.Join(dir, "objects")
	err := errors.Join(os.MkdirAll(filepath.Join(objects, "info"), 0o700), os.MkdirAll(filepath.Join(objects, "pack"), 0o700), os.Mkdir(filepath.Join(dir, "refs"), 0o700))
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/none\n", "objects/info/alternates": alternate(repo.objects)} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if err != nil {
		return fmt.Errorf("use the objects of git: %w", err)
	}
	if runtime.GOOS == "windows" { // a link could not be removed without changing the attributes of the other
		return nil
	}
	linkAll(filepath.Join(repo.objects, "pack"), filepath.Join(objects, "pack"), maxLoose)
	dirs, _ := os.ReadDir(repo.objects)
	dirs = slices.DeleteFunc(dirs, func(d fs.DirEntry) bool { return len(d.Name()) != 2 })
	for _, d := range dirs {
		if !linkAll(filepath.Join(repo.objects, d.Name()), filepath.Join(objects, d.Name()), 2*maxLoose/len(dirs)) {
			break
		}
	}
	return nil
}

// linkAll links the files of a directory into another one, unless there are more than most or it is on another
// file system.
func linkAll(from, to string, most int) bool {
	files, _ := os.ReadDir(from)
	if len(files) > most {
		return false
	}
	os.Mkdir(to, 0o700)
	for _, f := range files {
		if os.Link(filepath.Join(from, f.Name()), filepath.Join(to, f.Name())) != nil {
			return false
		}
	}
	return true
}

// alternate returns a path as git reads it in a list of them.
func alternate(path string) string { return strconv.Quote(filepath.ToSlash(path)) + "\n" }

// wantedBlob is a content to be read from git's objects.
type wantedBlob struct {
	hash string
	size int // about
	got  func(content string)
}

// blobs reads blobs from a repository that openObjects has made, or makes again. It skips those that git does not have, or that
// do not have their hash.
func (g git) blobs(ctx context.Context, dir string, repo *repository, wanted []wantedBlob) error {
	if len(wanted) == 0 {
		return nil
	}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) { // somebody has deleted the state directory
		if err := openObjects(dir, *repo); err != nil {
			return err
		}
	}
	own, err := gitsafe.Own(string(g), dir, repo.sha256)
	if err != nil {
		return err
	}
	for len(wanted) > 0 {
		n, size := 0, 0
		var hashes []string
		for n < len(wanted) && (n == 0 || size+wanted[n].size <= maxBatch) {
			hashes = append(hashes, hex.EncodeToString([]byte(wanted[n].hash)))
			size += wanted[n].size
			n++
		}
		out, err := own.RunInput(ctx, strings.Join(hashes, "\n")+"\n", "cat-file", "--batch")
		if err != nil {
			return err
		}
		for _, w := range wanted[:n] {
			var head string
			head, out, _ = strings.Cut(out, "\n")
			words := strings.Fields(head)
			if len(words) != 3 || words[1] != "blob" { // it is missing
				continue
			}
			size, err := strconv.Atoi(words[2])
			if err != nil || size < 0 || size >= len(out) {
				return errSaid
			}
			if content := out[:size]; repo.blobHash([]byte(content)) == w.hash {
				w.got(content)
			}
			out = out[size+1:]
		}
		wanted = wanted[n:]
	}
	return nil
}

// resolve finds out what git has of the files that differ between two snapshots, and keeps it. What was in a
// file stays unknown if git does not have it.
func (j *Journal) resolve(ctx context.Context, r *root, was, is *snapshot) (failed error) {
	keep := func(of state, content string) {
		if err := j.keepText(of, content); err != nil {
			failed = err
		}
	}
	var wanted []wantedBlob
	want := func(hash string, size int64, got func(content string)) {
		if size <= MaxKept {
			wanted = append(wanted, wantedBlob{hash, int(size), got})
		}
	}
	for id, clean := range was.clean {
		if clean == 0 || is.clean[id] != 0 {
			continue
		}
		t, mode := &was.index.files[id], fs.FileMode(clean&^isClean)
		if e := is.files[t.name]; e.blob == t.blob && uint32(e.state.size) == t.size { // touched at most
			e.state.mode = mode
			was.files[t.name] = e
			continue
		}
		was.files[t.name] = entry{state: state{kind: opaque, size: int64(t.size)}}
		want(t.blob, int64(t.size), func(content string) {
			if len(content) != int(t.size) {
				content = strings.ReplaceAll(content, "\n", "\r\n") // git has converted it
			}
			if len(content) == int(t.size) {
				of := textState(content)
				of.mode, of.noMode = mode, false
				was.files[t.name] = entry{state: of}
				keep(of, content)
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(was.files)) { // the first ones, if there is not enough room
		before, after := was.files[name], is.files[name]
		for _, e := range []entry{before, after} {
			if e.blob != "" && !same(before.state, after.state) {
				want(e.blob, e.state.size, func(content string) { keep(e.state, content) })
			}
		}
	}
	return cmp.Or(j.git.blobs(ctx, r.blobs, &was.index.repository, wanted), failed)
}

// blobHash returns the hash that names a content.
func (r *repository) blobHash(content []byte) string {
	h := r.startBlob(int64(len(content)))
	h.Write(content)
	return string(h.Sum(nil))
}

// startBlob returns the hash of a content of that size, which is still to be written.
func (r *repository) startBlob(size int64) hash.Hash {
	h := r.newHash()
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}

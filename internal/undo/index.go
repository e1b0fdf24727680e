package undo

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxIndex is the size in bytes of the largest index that is read.
const maxIndex = 512 << 20

var errUnknownIndex = errors.New("an index that parley cannot read")

// index is what git's index says of the files below a root.
type index struct {
	repository
	stamp  stamp     // of the file
	recent bool      // it may have changed since without changing its stamp
	files  []tracked // sorted by name
	links  []string  // nested repositories (submodules)
}

// tracked is a file in the index. What git noted of it when it was last the same as its blob shows
// without reading whether it still is.
type tracked struct {
	name         string // below the root, with slashes
	blob         string // the hash of its content; "" if that is unknown
	mtime, ctime int64  // as those of stamp, with seconds of 32 bits
	ino, size    uint32
	exec         bool
	trusted      bool // it is known that the content was that of the blob when it had these times
}

// is reports whether a file is still as git noted it.
func (t *tracked) is(st stamp) bool {
	return t.trusted && st.mode.IsRegular() && st.ctime != 0 && t.mtime == noted(st.mtime) && t.ctime == noted(st.ctime) &&
		t.ino == uint32(st.ino) && t.size == uint32(st.size) && t.exec == (st.mode&0o100 != 0)
}

// noted returns a file time as the index can hold it.
func noted(ns int64) int64 {
	const second = int64(time.Second)
	return int64(uint32(ns/second))*second + ns%second
}

// find returns the place of a file in files, or -1.
func (ix *index) find(name string) int {
	i, found := slices.BinarySearchFunc(ix.files, name, func(t tracked, name string) int { return strings.Compare(t.name, name) })
	if !found {
		return -1
	}
	return i
}

// continues trusts what an earlier index of the session, read before an agent could write it, says of the
// same files, and nothing else.
func (ix *index) continues(was *index) {
	k := 0
	for i := range ix.files {
		t := &ix.files[i]
		for k < len(was.files) && was.files[k].name < t.name {
			k++
		}
		now := t.trusted
		t.trusted = true
		t.trusted = now && k < len(was.files) && was.files[k] == *t
	}
}

// readIndex reads the index of a repository, of versions 2 to 4. Only the files below the root are returned. An
// agent can write the index, so names are validated.
func readIndex(repo repository) (*index, error) {
	f, err := openRegular(repo.index, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var data strings.Builder
	data.Grow(int(min(info.Size(), maxIndex)))
	if n, err := io.Copy(&data, io.LimitReader(f, maxIndex+1)); err != nil || n > maxIndex {
		return nil, errors.Join(err, errUnknownIndex)
	}
	ix := &index{repository: repo, stamp: stampOf(info), recent: recently(stampOf(info))}
	return ix, ix.parse(data.String())
}

// Sizes and flags of the format; see gitformat-index.
const (
	indexHead    = 12
	entryHead    = 40 // before the hash
	flagExtended = 0x4000
	flagStage    = 0x3000
	flagIntent   = 0x2000 // of the extended flags: the blob is that of no content yet
	typeFile     = 0o10
	typeLink     = 0o16 // to a commit of a nested repository
)

// parse reads the entries. A file of which git has several versions, or none yet, is not trusted.
func (ix *index) parse(data string) error {
	hash := ix.newHash().Size()
	if len(data) < indexHead+hash || data[:4] != "DIRC" {
		return errUnknownIndex
	}
	r := indexReader{data: data[:len(data)-hash], at: 4}
	version, count := r.number(), int(r.number())
	if version < 2 || version > 4 || count > len(data)/entryHead {
		return errUnknownIndex
	}
	ix.files = make([]tracked, 0, count)
	last, dir := "", ""
	for range count {
		start := r.at
		ctime, mtime := r.time(), r.time()
		r.number() // the device is another one after a mount
		t := tracked{ctime: ctime, mtime: mtime, ino: r.number()}
		mode := r.number()
		r.at += 8 // owner
		t.size, t.exec = r.number(), mode&0o100 != 0
		t.blob = r.bytes(hash)
		flags, intent := r.short(), false
		if flags&flagExtended != 0 {
			intent = r.short()&flagIntent != 0
		}
		kept := ""
		if version == 4 {
			kept = last[:max(0, len(last)-r.varint())]
		}
		t.name = kept + r.text()
		if version < 4 {
			r.at = start + (r.at-start+7)&^7
		}
		if r.failed {
			return errUnknownIndex
		}
		again := t.name == last
		if t.name < last {
			return errUnknownIndex
		}
		last = t.name
		name, below := strings.CutPrefix(t.name, ix.prefix)
		if !below || again || !properName(name, &dir) {
			continue
		}
		switch t.name = name; mode >> 12 {
		case typeLink:
			ix.links = append(ix.links, name)
			continue
		case typeFile:
			t.trusted = !ix.filtered && flags&flagStage == 0 && !intent && wellBefore(t.mtime, time.Unix(0, ix.stamp.mtime))
		}
		ix.files = append(ix.files, t)
	}
	for r.at < len(r.data) {
		kind := r.bytes(4)
		if r.at += int(r.number()); r.failed || kind == "" || kind[0] < 'A' || kind[0] > 'Z' { // a split or sparse index
			return errUnknownIndex
		}
	}
	return nil
}

// properName reports whether a name of the index can be that of a file below the root. dir is the directory
// of the last proper name, of which most files are.
func properName(name string, dir *string) bool {
	in, base := path.Split(name)
	if in != *dir {
		if in != "" && (path.Clean(in)+"/" != in || in == "./" || !filepath.IsLocal(filepath.FromSlash(in)) || holdsDotGit(in)) {
			return false
		}
		*dir = in
	}
	return base != "" && base != "." && base != ".." && filepath.IsLocal(base) && !holdsDotGit(base)
}

// indexReader reads the parts of an index. After the end it fails and returns zeros.
type indexReader struct {
	data   string
	at     int
	failed bool
}

func (r *indexReader) bytes(n int) string {
	if r.at < 0 || n > len(r.data)-r.at {
		r.at, r.failed = len(r.data), true
		return ""
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

func (r *indexReader) number() (n uint32) {
	for _, c := range []byte(r.bytes(4)) {
		n = n<<8 | uint32(c)
	}
	return n
}

func (r *indexReader) short() (n uint16) {
	for _, c := range []byte(r.bytes(2)) {
		n = n<<8 | uint16(c)
	}
	return n
}

func (r *indexReader) time() int64 {
	seconds := int64(r.number())
	return seconds*int64(time.Second) + int64(r.number())
}

// text reads up to a NUL.
func (r *indexReader) text() string {
	n := strings.IndexByte(r.data[min(r.at, len(r.data)):], 0)
	text := r.bytes(max(n, 0))
	r.failed = r.failed || n < 0
	r.at++
	return text
}

// varint reads a number as git writes offsets.
func (r *indexReader) varint() (n int) {
	for {
		c := r.bytes(1)
		if r.failed || n > maxIndex {
			return 0
		}
		n = n<<7 | int(c[0]&0x7f)
		if c[0]&0x80 == 0 {
			return n
		}
		n++
	}
}

package installs

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"parley/internal/safetext"
)

// unpacking writes the members of an archive below a directory. An archive with a member that would leave it,
// that is neither a file, a directory nor a link, or that there is twice, is refused as a whole.
type unpacking struct {
	ctx   context.Context
	root  *os.Root
	files int
	bytes int64
	links []string
}

func (u *unpacking) tarGzip(file string) error {
	return u.stream(file, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) })
}

func (u *unpacking) tarBzip2(file string) error {
	return u.stream(file, func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil })
}

func (u *unpacking) plainTar(file string) error {
	return u.stream(file, func(r io.Reader) (io.Reader, error) { return r, nil })
}

// stream unpacks a tar archive.
func (u *unpacking) stream(file string, open func(io.Reader) (io.Reader, error)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	plain, err := open(bufio.NewReader(f))
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	// What is skipped counts, too: the headers of a bomb can be as large as its files.
	in := tar.NewReader(&bounded{in: plain, left: maxUnpacked + maxUnpacked/8 + 1<<20})
	for {
		h, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the archive: %w", err)
		}
		switch h.Typeflag {
		case tar.TypeXGlobalHeader:
		case tar.TypeDir:
			err = u.dir(h.Name)
		case tar.TypeReg:
			err = u.file(h.Name, h.FileInfo().Mode(), in)
		case tar.TypeSymlink:
			err = u.symlink(h.Name, h.Linkname)
		case tar.TypeLink:
			err = u.hardLink(h.Name, h.Linkname)
		default:
			err = fmt.Errorf("the archive has a member of a kind that is not unpacked: %s", shown(h.Name))
		}
		if err != nil {
			return err
		}
	}
}

// zip unpacks a zip archive.
func (u *unpacking) zip(file string) error {
	in, err := zip.OpenReader(file)
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	defer in.Close()
	for _, member := range in.File {
		if err := u.zipped(member); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacking) zipped(member *zip.File) error {
	mode := member.Mode()
	if mode.IsDir() {
		return u.dir(member.Name)
	}
	if mode.Type() != 0 && mode.Type() != fs.ModeSymlink {
		return fmt.Errorf("the archive has a member of a kind that is not unpacked: %s", shown(member.Name))
	}
	in, err := member.Open()
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	defer in.Close()
	if mode.Type() == 0 {
		return u.file(member.Name, mode, in)
	}
	target, err := io.ReadAll(io.LimitReader(in, 4096))
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	return u.symlink(member.Name, string(target))
}

// single is for a download that is the program itself.
func (u *unpacking) single(file, name string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return u.file(name, 0o700, f)
}

// local returns the path of a member, or an error if it leads out or cannot be shown.
func local(name string) (string, error) {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if safetext.Line(name, 4096) != name || !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", fmt.Errorf("the archive has a member that leads out of it: %s", shown(name))
	}
	return filepath.FromSlash(clean), nil
}

func shown(name string) string { return fmt.Sprintf("%q", safetext.Line(name, 200)) }

// count bounds the members.
func (u *unpacking) count() error {
	if u.files++; u.files > maxFiles {
		return fmt.Errorf("the archive has more than %d members", maxFiles)
	}
	return context.Cause(u.ctx)
}

func (u *unpacking) dir(name string) error {
	at, err := local(name)
	if err == nil {
		err = u.count()
	}
	if err != nil {
		return err
	}
	return u.root.MkdirAll(at, 0o700)
}

// parent makes the directory of a member.
func (u *unpacking) parent(at string) error {
	if dir := filepath.Dir(at); dir != "." {
		return u.root.MkdirAll(dir, 0o700)
	}
	return nil
}

// member makes way for a member.
func (u *unpacking) member(name string) (at string, err error) {
	if at, err = local(name); err == nil {
		err = u.count()
	}
	if err == nil {
		err = u.parent(at)
	}
	return at, err
}

func (u *unpacking) file(name string, mode fs.FileMode, in io.Reader) error {
	at, err := u.member(name)
	if err != nil {
		return err
	}
	out, err := u.root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm()&0o700|0o600)
	if err != nil {
		return u.twice(name, err)
	}
	defer out.Close()
	n, err := io.Copy(out, &bounded{in: contextReader{u.ctx, in}, left: maxUnpacked - u.bytes})
	u.bytes += n
	if err != nil {
		return fmt.Errorf("unpack %s: %w", shown(name), err)
	}
	return out.Close()
}

func (u *unpacking) twice(name string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("the archive has %s twice", shown(name))
	}
	return err
}

// symlink makes a link. Where it leads is checked when all members are there.
func (u *unpacking) symlink(name, target string) error {
	at, err := u.member(name)
	if err != nil {
		return err
	}
	if path.IsAbs(target) || filepath.IsAbs(target) || !filepath.IsLocal(filepath.Join(filepath.Dir(at), filepath.FromSlash(target))) {
		return fmt.Errorf("the archive has a link that leads out of it: %s", shown(name))
	}
	u.links = append(u.links, at)
	return u.twice(name, u.root.Symlink(filepath.FromSlash(target), at))
}

func (u *unpacking) hardLink(name, target string) error {
	at, err := u.member(name)
	if err != nil {
		return err
	}
	to, err := local(target)
	if err != nil {
		return err
	}
	if info, err := u.root.Lstat(to); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("the archive has a link to what is no file of it: %s", shown(name))
	}
	return u.twice(name, u.root.Link(to, at))
}

// checkLinks refuses links that leave the directory by way of others, or lead nowhere.
func (u *unpacking) checkLinks() error {
	for _, at := range u.links {
		if _, err := u.root.Stat(at); err != nil {
			return fmt.Errorf("the archive has a link that leads out of it, or nowhere: %s", shown(at))
		}
	}
	return nil
}

// bounded reads at most left bytes; more is an error.
type bounded struct {
	in   io.Reader
	left int64
}

func (b *bounded) Read(data []byte) (int, error) {
	n, err := b.in.Read(data)
	if b.left -= int64(n); b.left < 0 {
		return n, fmt.Errorf("more than %d MB are in the archive", maxUnpacked>>20)
	}
	return n, err
}

// contextReader fails when a context ends.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func (c contextReader) Read(data []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	return c.in.Read(data)
}

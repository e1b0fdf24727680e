package installs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/registry"
)

// Bounds of a download, and of what is in it. They are variables for tests only.
var (
	maxDownload int64 = 1 << 30
	maxUnpacked int64 = 4 << 30
	maxFiles          = 100_000
)

// downloadPatience limits how long a download may take.
const downloadPatience = time.Hour

// download downloads the archive or program, checks it, and unpacks it. It returns its SHA-256.
func (p *Plan) download(ctx context.Context, tell func(Progress)) (sum string, err error) {
	file := filepath.Join(p.Dir(), "download")
	sum, err = p.fetch(ctx, file, tell)
	if err != nil {
		return "", err
	}
	defer os.Remove(file)
	if p.target.SHA256 != "" && sum != p.target.SHA256 {
		return "", fmt.Errorf("the checksum is %s, and the registry says %s", sum, p.target.SHA256)
	}
	tell(Progress{Doing: "Unpacking"})
	root, err := os.OpenRoot(p.files())
	if err != nil {
		return "", err
	}
	defer root.Close()
	out := &unpacking{ctx: ctx, root: root}
	if p.unpack == nil {
		err = out.single(file, p.target.Command)
	} else {
		err = p.unpack(out, file)
	}
	if err == nil {
		err = out.checkLinks()
	}
	if err != nil {
		return "", err
	}
	return sum, executable(root, p.target.Command)
}

// executable makes the program executable.
func executable(root *os.Root, name string) error {
	info, err := root.Stat(filepath.FromSlash(name))
	switch {
	case err != nil:
		return fmt.Errorf("the archive has no %s", name)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s in the archive is not a program", name)
	}
	return root.Chmod(filepath.FromSlash(name), info.Mode().Perm()|0o700)
}

// fetch writes the download to a file.
func (p *Plan) fetch(ctx context.Context, file string, tell func(Progress)) (sum string, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, downloadPatience, fmt.Errorf("not done within %s", downloadPatience))
	defer stop()
	body, size, err := registry.Open(ctx, p.target.Archive)
	if err != nil {
		return "", fmt.Errorf("download %s: %w", p.target.Archive, err)
	}
	defer body.Close()
	if size > maxDownload {
		return "", tooLarge(maxDownload)
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	defer out.Close()
	hash := sha256.New()
	counted := &counter{Progress: Progress{Doing: "Downloading", Total: max(0, size)}, tell: tell}
	n, err := io.Copy(io.MultiWriter(out, hash, counted), io.LimitReader(body, maxDownload+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", fmt.Errorf("download %s: %w", p.target.Archive, err)
	case n > maxDownload:
		return "", tooLarge(maxDownload)
	}
	counted.told = time.Time{}
	counted.Write(nil)
	return hex.EncodeToString(hash.Sum(nil)), out.Close()
}

func tooLarge(most int64) error { return fmt.Errorf("it is larger than %d MB", most>>20) }

// counter says how many bytes were written, ten times a second at most.
type counter struct {
	Progress
	tell func(Progress)
	told time.Time
}

func (c *counter) Write(data []byte) (int, error) {
	c.Done += int64(len(data))
	if now := time.Now(); now.Sub(c.told) >= 100*time.Millisecond {
		c.told = now
		c.tell(c.Progress)
	}
	return len(data), nil
}

// unpacker unpacks a file.
type unpacker func(out *unpacking, file string) error

// unpackerOf returns how the archive at a URL is unpacked; nil for a program that is no archive.
func unpackerOf(archive string) (unpacker, error) {
	u, err := url.Parse(archive)
	if err != nil {
		return nil, err
	}
	name := strings.ToLower(path.Base(u.Path))
	for _, kind := range []struct {
		suffixes string
		unpack   unpacker
	}{
		{".tar.gz .tgz", (*unpacking).tarGzip}, {".tar.bz2 .tbz2 .tbz", (*unpacking).tarBzip2}, {".tar", (*unpacking).plainTar}, {".zip", (*unpacking).zip},
		{".tar.xz .txz .tar.zst .7z .rar .gz .bz2 .xz .dmg .pkg .msi .deb .rpm .apk .appimage.zsync", nil},
	} {
		for _, suffix := range strings.Fields(kind.suffixes) {
			if strings.HasSuffix(name, suffix) {
				if kind.unpack == nil {
					return nil, errors.New("archives of the kind " + suffix + " are not supported")
				}
				return kind.unpack, nil
			}
		}
	}
	return nil, nil
}

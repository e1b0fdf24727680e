package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"parley/internal/atomicfile"
	"parley/internal/filetrust"
	"parley/internal/record"
	"parley/internal/smallfile"
)

// minToken is the minimum length of a token in bytes.
const minToken = 16

// readToken reads a token from a file.
func readToken(file string, log *slog.Logger) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, smallfile.Cause(err))
	}
	const most = 64 << 10
	text, err := smallfile.Read(file, most)
	if err != nil {
		return "", fmt.Errorf("%s: %w; want a file with one token", file, smallfile.Cause(err))
	}
	token := strings.TrimSpace(string(text))
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s: a token is one word of printable ASCII", file)
	}
	if len(token) < minToken {
		return "", fmt.Errorf("%s: the token has %d bytes; want at least %d", file, len(token), minToken)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		log.Warn("others on this machine can read the token", "file", file)
	}
	return token, nil
}

// generatedToken returns the token of a server that was given none: that of the last server at this
// address, or else a new one. It is not stored for a port picked by the system, which is different
// each time.
//
// A client does not read the stored token. Once the server is gone, any user can listen in its
// place. That user would then see the token, which the next server uses again. Knowing the URL must
// not be enough for that.
func (f *serveFlags) generatedToken(bound net.Addr, log *slog.Logger) (string, error) {
	token := rand.Text()
	if _, port, _ := net.SplitHostPort(f.listen); port == "" || port == "0" {
		return token, nil
	}
	stored, err := keepToken(bound.String(), token, log)
	if err != nil {
		return "", fmt.Errorf("keep the token: %w; --token-file names a file of your own", err)
	}
	return stored, nil
}

// keepToken returns the token stored for an address. If there is none, it stores this one.
func keepToken(address, token string, log *slog.Logger) (string, error) {
	dir, err := record.StateDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "tokens", url.QueryEscape(address))
	stored, err := readToken(path, log)
	if err == nil {
		return stored, filetrust.Check(path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	if err := filetrust.Check(filepath.Dir(path)); err != nil {
		return "", err
	}
	return token, atomicfile.Write(path, []byte(token+"\n"))
}

// client returns the command to type on the other side. token is the one to show, "" if it is the user's to
// share.
func (f *serveFlags) client(bound net.Addr, token string) string {
	switch {
	case f.noToken:
		return "parley " + f.url(bound)
	case token == "":
		token = "TOKEN"
	}
	set := "AUTH='Bearer " + token + "' "
	if runtime.GOOS == "windows" {
		set = "$env:AUTH='Bearer " + token + "'; " // PowerShell
	}
	return set + "parley --header-env Authorization=AUTH " + f.url(bound)
}

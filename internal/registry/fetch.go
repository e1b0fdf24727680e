package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"parley/internal/atomicfile"
	"parley/internal/safetext"
	"parley/internal/smallfile"
)

// DefaultURL is the address of the public registry of the protocol.
const DefaultURL = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"

// fetchPatience limits how long fetching the index may take.
const fetchPatience = time.Minute

// ErrNotFetched means that no index has been fetched yet.
var ErrNotFetched = errors.New("the registry has not been fetched yet")

// Registry is the registry at a URL. Its methods may be called from any goroutine, also of several processes.
type Registry struct {
	URL  string
	File string // where the index is kept
}

// kept is the file.
type kept struct {
	URL     string          `json:"url"`
	Fetched time.Time       `json:"fetched"`
	Index   json.RawMessage `json:"index"`
}

// Kept returns the index that was fetched last. It uses no network. The error is ErrNotFetched if there is
// none of this URL that can be read.
func (r *Registry) Kept() (*Index, error) {
	data, err := smallfile.Read(r.File, maxIndex+4096)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFetched
	}
	if err != nil {
		return nil, err
	}
	var k kept
	if json.Unmarshal(data, &k) != nil || k.URL != r.URL {
		return nil, ErrNotFetched
	}
	x, err := decode(k.Index)
	if err != nil {
		return nil, ErrNotFetched
	}
	x.Fetched = k.Fetched
	return x, nil
}

// Fetch fetches the index and keeps it. After an error the one that was kept stays.
func (r *Registry) Fetch(ctx context.Context) (*Index, error) {
	ctx, stop := context.WithTimeoutCause(ctx, fetchPatience, fmt.Errorf("no answer within %s", fetchPatience))
	defer stop()
	x, data, err := r.fetch(ctx)
	if err != nil {
		return nil, fmt.Errorf("fetch the registry from %s: %w", safetext.Line(r.URL, maxURL), err)
	}
	x.Fetched = time.Now().UTC()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // so that it does not grow
	err = enc.Encode(kept{r.URL, x.Fetched, data})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(r.File), 0o700)
	}
	if err == nil {
		err = atomicfile.Write(r.File, out.Bytes())
	}
	if err != nil {
		return x, fmt.Errorf("keep the registry: %w", err)
	}
	return x, nil
}

func (r *Registry) fetch(ctx context.Context) (*Index, []byte, error) {
	body, _, err := Open(ctx, r.URL)
	if err != nil {
		return nil, nil, err
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, maxIndex+1))
	if err != nil {
		return nil, nil, because(ctx, err)
	}
	x, err := decode(data)
	return x, data, err
}

// CheckURL returns an error unless a URL may be fetched: by https, or by http on loopback.
func CheckURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || len(raw) > maxURL || safetext.Line(raw, maxURL) != raw:
		return errors.New("not a valid URL")
	case u.User != nil:
		return errors.New("a URL with a password in it")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	}
	return fmt.Errorf("%s://%s is not https", safetext.Line(u.Scheme, maxName), safetext.Line(u.Host, maxName))
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// client follows redirects to what CheckURL accepts only. That of a https URL never leads to http.
var client = &http.Client{CheckRedirect: func(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("too many redirects")
	}
	if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return errors.New("redirected from https to " + safetext.Line(req.URL.Scheme, maxName))
	}
	return CheckURL(req.URL.String())
}}

// Open begins to download a URL. size is in bytes, -1 if the server does not say it.
func Open(ctx context.Context, url string) (body io.ReadCloser, size int64, err error) {
	res, err := send(ctx, http.MethodGet, url)
	if err != nil {
		return nil, 0, err
	}
	return res.Body, res.ContentLength, nil
}

// Size asks a server how large a download is, in bytes: -1 if it does not say.
func Size(ctx context.Context, url string) (int64, error) {
	res, err := send(ctx, http.MethodHead, url)
	if err != nil {
		return -1, err
	}
	res.Body.Close()
	return res.ContentLength, nil
}

func send(ctx context.Context, method, url string) (*http.Response, error) {
	if err := CheckURL(url); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "parley")
	res, err := client.Do(req)
	if err != nil {
		return nil, because(ctx, err)
	}
	if res.StatusCode != http.StatusOK {
		res.Body.Close()
		return nil, fmt.Errorf("the server answered %s", safetext.Line(res.Status, maxName))
	}
	return res, nil
}

// because returns why a request failed, without the URL, which the caller names, and the name of the call.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if request, ok := errors.AsType[*url.Error](err); ok {
		err = request.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return err
}

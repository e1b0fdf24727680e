package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errNoHeaders is why a POST was given up.
var errNoHeaders = errors.New("the server does not answer")

// request builds a request with the headers of PROTOCOL 5.2. The user's headers never
// replace the transport's, not even one that the transport leaves out.
func (h *HTTP) request(ctx context.Context, method string, body []byte, connection, session string) *http.Request {
	header := h.r.Header.Clone()
	set := func(name, value string) {
		header.Del(name)
		if value != "" {
			header.Set(name, value)
		}
	}
	req := &http.Request{Method: method, URL: h.r.url, Host: header.Get("Host"), Header: header}
	header.Del("Host")
	set(connectionHeader, connection)
	set(sessionHeader, session)
	version := ""
	if v := h.version.Load(); v > 0 && connection != "" {
		version = strconv.FormatInt(v, 10)
	}
	set(versionHeader, version)
	set("Last-Event-Id", "")
	switch method {
	case http.MethodPost:
		set("Content-Type", "application/json")
		set("Accept", "application/json, text/event-stream")
		req.ContentLength = int64(len(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		req.Body, _ = req.GetBody()
	case http.MethodGet:
		set("Accept", "text/event-stream")
	}
	set("Accept-Encoding", "identity") // compression would delay events
	return req.WithContext(ctx)
}

// do sends a request. Its errors contain no secrets.
func (h *HTTP) do(client *http.Client, req *http.Request) (*http.Response, error) {
	resp, err := client.Do(req)
	if err == nil {
		return resp, nil
	}
	if req.Context().Err() != nil {
		err = context.Cause(req.Context())
	}
	return nil, h.clean(err)
}

// chosen returns the client that the connection was made with.
func (h *HTTP) chosen() *http.Client {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.client
}

// answer is the response to a POST; done must be called when its body is no longer needed.
type answer struct {
	*http.Response
	done func()
}

// roundTrip posts one message and waits for the headers of the response.
func (h *HTTP) roundTrip(ctx context.Context, client *http.Client, body []byte, connection, session string) (answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(h.timing.post, func() { cancel(errNoHeaders) })
	resp, err := h.do(client, h.request(ctx, http.MethodPost, body, connection, session))
	timer.Stop()
	if err != nil {
		cancel(nil)
		return answer{}, err
	}
	return answer{resp, func() {
		resp.Body.Close()
		cancel(nil)
	}}, nil
}

// bounded stops reading a body after d.
func bounded(resp *http.Response, d time.Duration, read func(io.Reader)) {
	timer := time.AfterFunc(d, func() { resp.Body.Close() })
	defer timer.Stop()
	read(resp.Body)
}

// refused makes an error of a response that is not a success, with the beginning of its
// body.
func (h *HTTP) refused(op string, resp *http.Response) *StatusError {
	var excerpt string
	bounded(resp, h.timing.body, func(body io.Reader) {
		all, _ := io.ReadAll(io.LimitReader(body, 2*maxExcerpt)) // more than is kept, so that a secret at the cut is found whole
		excerpt = h.hide.Replace(string(all))
		excerpt = excerpt[:min(len(excerpt), maxExcerpt)]
	})
	if resp.StatusCode/100 == 3 {
		op += " (only a redirect to the same place is followed)"
	}
	return &StatusError{Op: op, Status: resp.StatusCode, Body: excerpt}
}

// connectionError returns the error that ends the connection because of a response's status, nil if
// the connection can continue: missing credentials or an unknown connection make everything
// else fail too.
func connectionError(err error) error {
	var status *StatusError
	if !errors.As(err, &status) {
		return nil
	}
	switch status.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return err
	case http.StatusNotFound, http.StatusGone:
		return fmt.Errorf("%w (%w)", ErrGone, err)
	}
	return nil
}

// mayHaveRun reports whether the server may have received the message although the POST
// failed.
func mayHaveRun(err error) bool {
	var status *StatusError
	if errors.As(err, &status) {
		switch status.Status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return false
	}
	return !notDialled(err)
}

// mayBePartial reports whether the server may have received only part of the message: it cannot
// tell an end made by the network from one made by the client.
func mayBePartial(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && (status.Status == http.StatusBadRequest || status.Status == http.StatusRequestTimeout)
}

// notDialled reports whether the connection could not even be made.
func notDialled(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// reason returns the text of an error, and of a failure to dial, read or write only its cause: callers
// name the server.
func reason(err error) string {
	var op *net.OpError
	var name *net.DNSError
	var call *os.SyscallError
	switch {
	case !errors.As(err, &op):
		return err.Error()
	case op.Op == "proxyconnect":
		return "the proxy: " + reason(op.Err)
	case op.Op != "dial" && op.Op != "read" && op.Op != "write":
		return err.Error()
	case errors.As(op.Err, &name):
		return name.Err
	case errors.As(op.Err, &call):
		return call.Err.Error()
	}
	return op.Err.Error()
}

// sameOrigin follows redirects that keep the method and stay on the same scheme, host and
// port.
func sameOrigin(req *http.Request, via []*http.Request) error {
	first, status := via[0], req.Response.StatusCode
	if len(via) > 3 || req.URL.User != nil || req.URL.Scheme != first.URL.Scheme || !strings.EqualFold(req.URL.Host, first.URL.Host) ||
		status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect {
		return http.ErrUseLastResponse
	}
	req.Header.Del("Referer") // it contains the query
	return nil
}

// mediaType returns the content type without its parameters.
func mediaType(header http.Header) string {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		kind, _, _ = strings.Cut(strings.ToLower(header.Get("Content-Type")), ";")
	}
	return strings.TrimSpace(kind)
}

// headerSafe reports whether an id can be sent unchanged as a header and is short enough
// for servers.
func headerSafe(id string) bool {
	if id == "" || len(id) > maxHeader || id[0] == ' ' || id[len(id)-1] == ' ' {
		return false
	}
	return !strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r > '~' })
}

// cleanError is an error whose text is safe to show.
type cleanError struct {
	text string
	err  error
}

func (e *cleanError) Error() string { return e.text }
func (e *cleanError) Unwrap() error { return e.err }

// clean removes the URL and other secrets from an error. The end of a connection inside a
// message becomes unexpected: io.EOF would read as an orderly end.
func (h *HTTP) clean(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, io.EOF) {
		return &cleanError{"the server ended the connection", io.ErrUnexpectedEOF}
	}
	if text := h.hide.Replace(reason(err)); text != err.Error() {
		return &cleanError{text, err}
	}
	return err
}

// secretsOf hides the user's credentials where a server or a library repeats them: the
// query and its values, the password, the values of headers.
func secretsOf(r *remote) *strings.Replacer {
	var secrets []string
	add := func(least int, values ...string) {
		for _, v := range values {
			if len(v) >= least {
				secrets = append(secrets, v)
			}
		}
	}
	add(1, r.url.RawQuery)
	for _, values := range r.url.Query() {
		for _, v := range values {
			add(4, v, url.QueryEscape(v), url.PathEscape(v))
		}
	}
	if u, err := url.Parse(r.URL); err == nil && u.User != nil {
		password, _ := u.User.Password()
		add(4, password, u.User.String())
	}
	for _, values := range r.Header {
		for _, v := range values {
			_, credentials, _ := strings.Cut(v, " ")
			add(8, v, credentials)
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // longest first, so that a secret that contains another is hidden whole
	var pairs []string
	for _, s := range secrets {
		pairs = append(pairs, s, "…")
	}
	return strings.NewReplacer(pairs...)
}

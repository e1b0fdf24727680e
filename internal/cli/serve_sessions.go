package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mdp/qrterminal/v3"
	"github.com/spf13/cobra"

	"parley/acpclient/transport"
	"parley/internal/access"
	"parley/internal/gateway"
	"parley/internal/hello"
	"parley/internal/router"
)

// sharing is what `parley serve --sessions` needs besides what every server does.
type sharing struct {
	on    bool
	role  string
	qr    string // the name for the token in the QR code, "" for none
	store *access.Store

	invitation *invitation // nil without a QR code
}

func (h *sharing) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&h.on, "sessions", false, "serve the live sessions of this machine instead of an agent; see parley tokens")
	flags.StringVar(&h.role, "role", string(hello.Talk), "with --sessions: role of the token that is made, of --qr, --token-file and --no-token: watch, talk or approve")
	flags.StringVar(&h.qr, "qr", "", "with --sessions: show the address and a new one-time token as a QR code; its name is NAME, or phone")
	flags.Lookup("qr").NoOptDefVal = "phone"
}

// check rejects what does not belong together.
func (h *sharing) check(cmd *cobra.Command, args []string, ownTokens bool) error {
	if _, err := hello.ParseRole(h.role); err != nil {
		return Usagef("--role: %v", err)
	}
	for _, name := range []string{"role", "qr"} {
		if !h.on && cmd.Flags().Changed(name) {
			return Usagef("--%s belongs to --sessions", name)
		}
	}
	for _, name := range []string{"sandbox", "add-dir"} {
		if h.on && cmd.Flags().Changed(name) {
			return Usagef("--%s cannot be used with --sessions, which starts no agent by itself", name)
		}
	}
	switch {
	case h.on && len(args) > 0:
		return Usagef("--sessions serves live sessions, and no command")
	case h.qr != "" && !ownTokens:
		return Usagef("--qr cannot be used with --no-token or --token-file")
	}
	return nil
}

// identify implements gateway.Options.
func (h *sharing) identify(token string) (gateway.Client, bool) {
	t, ok := h.store.Find(token)
	return gateway.Client{ID: t.Hash, Name: t.Name, Role: string(t.Role), Admit: func() error { return h.store.Use(t.Hash) }}, ok
}

// start implements gateway.Options: the agent of a connection is a router.
func (h *sharing) start(c gateway.Client, log *slog.Logger) (gateway.Agent, error) {
	opts, err := routing(cmp.Or(c.Role, h.role), c.Name)
	if err != nil {
		return nil, err
	}
	opts.Start = startBeside
	here, there := net.Pipe()
	a := &routed{Conn: transport.Streams(here, here), done: make(chan struct{})}
	var ctx context.Context
	ctx, a.end = context.WithCancelCause(context.Background())
	if c.ID != "" {
		go func() {
			if h.store.AwaitRemoval(ctx, c.ID) == nil {
				a.end(errors.New("its token was revoked"))
			}
		}()
	}
	go func() {
		defer close(a.done)
		a.why = router.Serve(ctx, transport.Streams(there, there), opts)
		a.end(nil)
		if err := h.left(c.ID); err != nil {
			log.Error("cannot renew the one-time token", "error", err)
		}
	}()
	log.Info("client joins", "client", c.Name, "role", string(opts.Role))
	return a, nil
}

// routed is a router as an agent of the gateway.
type routed struct {
	transport.Conn
	end  context.CancelCauseFunc
	done chan struct{}
	why  error // set when done is closed
}

// Close implements transport.Conn.
func (a *routed) Close() error {
	err := a.Conn.Close()
	a.end(nil)
	<-a.done
	return err
}

// Kill implements gateway.Agent.
func (a *routed) Kill() { a.end(nil) }

// ExitReason implements gateway.Agent.
func (a *routed) ExitReason() string {
	<-a.done
	return cmp.Or(a.why, errors.New("the client has left")).Error()
}

// defaultClient is the name of the token that is made if there is none.
const defaultClient = "default"

// firstToken returns a new token if there is none that can be used more than once, else "".
func (h *sharing) firstToken() (string, error) {
	all, err := h.store.All()
	if err != nil || slices.ContainsFunc(all, func(t access.Token) bool { return !t.Once }) {
		return "", err
	}
	return h.store.Add(defaultClient, hello.Role(h.role), false)
}

// left forgets a one-time token whose connection has ended. If it was that of the QR code, there is another one.
func (h *sharing) left(id string) error {
	all, err := h.store.All()
	if err != nil || !slices.ContainsFunc(all, func(t access.Token) bool { return t.Hash == id && t.Once }) {
		return err
	}
	if err := h.store.Forget(id); err != nil || h.invitation == nil {
		return err
	}
	return h.invitation.used(id)
}

// invitation is a QR code with a one-time token.
type invitation struct {
	ctx        context.Context // of the server
	store      *access.Store
	name, role string
	show       func(name, token string)

	mu   sync.Mutex
	hash string // of the token
}

// renew shows a QR code with a new token. i.mu is held, or nobody else has the invitation yet.
func (i *invitation) renew() error {
	for n := 1; ; n++ {
		name := i.name
		if n > 1 {
			name = fmt.Sprint(i.name, "-", n)
		}
		text, err := i.store.Add(name, hello.Role(i.role), true)
		if errors.Is(err, access.ErrExists) {
			continue
		}
		if t, ok := i.store.Find(text); ok {
			i.hash = t.Hash
			i.show(name, text)
		}
		return err
	}
}

// used shows another QR code if the token with that hash is in the last one, unless the server ends.
func (i *invitation) used(hash string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if hash != i.hash || i.ctx.Err() != nil {
		return nil
	}
	return i.renew()
}

// withdraw revokes the token if nobody uses it.
func (i *invitation) withdraw() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if all, err := i.store.All(); err == nil && slices.ContainsFunc(all, func(t access.Token) bool { return t.Hash == i.hash && t.Used.IsZero() }) {
		i.store.Forget(i.hash)
	}
}

// showQR shows how to connect with a one-time token. A browser does not send what follows the # to a server.
func showQR(w io.Writer, address, name, role, token string, inQuery bool) {
	sep := "#"
	if inQuery {
		sep = "?"
	}
	address += sep + url.Values{"token": {token}}.Encode()
	var b strings.Builder
	qrterminal.GenerateWithConfig(address, qrterminal.Config{Level: qrterminal.L, Writer: &b, HalfBlocks: true, QuietZone: 2})
	fmt.Fprintf(w, "for one connection, as %s (%s): %s\n%s", name, role, address, b.String())
}

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

// invite adds a one-time token, and returns its name and text.
func (h *sharing) invite() (name, text string, err error) {
	for n := 1; ; n++ {
		if name = h.qr; n > 1 {
			name = fmt.Sprint(h.qr, "-", n)
		}
		if text, err = h.store.Add(name, hello.Role(h.role), true); !errors.Is(err, access.ErrExists) {
			return name, text, err
		}
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

package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/gateway"
	"parley/internal/lazy"
)

// defaultListen is the default address to listen on.
const defaultListen = "127.0.0.1:8765"

// anyAffinity is the value of --cookie-affinity if the flag has none.
const anyAffinity = "random"

// affinityValue matches values that need no quotes in a cookie or in a load balancer's
// configuration.
var affinityValue = lazy.Regexp(`^[A-Za-z0-9._-]{1,64}$`)

// longestKeepAlive is well below the silence after which clients give up.
const longestKeepAlive = 30 * time.Second

type serveFlags struct {
	listen, path             string
	tokenFile                string
	tokenInQuery, noToken    bool
	origins, hosts, addDirs  []string
	sandbox                  func() *bool
	sharing                  sharing
	cert, key                string
	strict                   bool
	affinity                 string // "": no cookie; anyAffinity: a different value per client
	logFormat, logLevel      string
	limits                   gateway.Limits
	message, session, buffer byteSize
	total                    byteSize
}

// NewServe is `parley serve`.
func NewServe(s Streams) *cobra.Command { return newServe(s, new(serveFlags)) }

func newServe(s Streams, f *serveFlags) *cobra.Command {
	f.limits = gateway.DefaultLimits()
	cmd := &cobra.Command{
		Use:   "serve [flags] {-- COMMAND ARG… | --sessions}",
		Short: "Serve an agent, or live sessions, at a URL, over HTTP and WebSocket",
		Long: `Serve an agent at a URL. The agent speaks ACP on its standard streams; clients connect over Streamable HTTP or WebSocket. Each connection gets its own agent process, which ends with it.

Anyone who can connect can do what the agent can do on this machine. Unless --listen names another address, only this machine can connect. Every request needs a token. parley makes one for the address and keeps it; --token-file names your own. With port 0 the token is new each time.

With --sessions, clients join the live sessions of this machine instead: those whose parley was started with --keep. Each client has a token of its own, with a role that says what it may do; ` + "`parley tokens`" + ` adds and revokes them. If there is none, parley makes one named default and prints it, this once. --qr shows the address with a one-time token as a QR code: the first client that uses it has it for its connection; when that ends, there is another one.

Each connection costs an agent process, and memory for messages that the client or the agent has not read: at most twice --connection-buffer for one connection, at most --total-buffer for all together, and one message in each direction per connection. An agent with a slower client has to wait.

The first line on standard output says what to type on the other side. SIGTERM or ctrl+c shuts down in order; a second one ends everything at once.

Exit codes: 0 after a signal, 1 cannot listen on the address or keep the token, 2 usage.`,
		Example: `  parley serve -- my-agent --acp
  parley serve --listen 0.0.0.0:8765 --token-file token --tls-cert cert.pem --tls-key key.pem -- my-agent --acp
  parley serve --sessions --listen 0.0.0.0:8765 --qr --tls-cert cert.pem --tls-key key.pem`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return serveAgent(cmd, args, *f, s) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", defaultListen, "address to listen on; port 0 picks a free one")
	flags.StringVar(&f.path, "path", gateway.DefaultPath, "path of the endpoint")
	flags.StringVar(&f.tokenFile, "token-file", "", "file with the bearer token that every request needs, at least 16 bytes (default: one that parley makes and keeps for the address)")
	flags.BoolVar(&f.noToken, "no-token", false, "require no token: every user of this machine can connect")
	flags.BoolVar(&f.tokenInQuery, "token-in-query", false, "also accept the token as ?token=, for clients that cannot set headers; it may end up in others' logs")
	flags.StringArrayVar(&f.origins, "allow-origin", nil, "allow pages of this origin, such as https://app.example.com (repeatable)")
	flags.StringArrayVar(&f.hosts, "allow-host", nil, "also accept this host name, besides the address and localhost (repeatable)")
	flags.StringVar(&f.cert, "tls-cert", "", "file with the certificate and its issuers', to serve TLS and HTTP/2")
	flags.StringVar(&f.key, "tls-key", "", "file with the certificate's key")
	flags.BoolVar(&f.strict, "strict-sessions", false, "answer 404 to a stream for a session that the connection has not used yet")
	flags.StringVar(&f.affinity, "cookie-affinity", "", "set the cookie "+gateway.AffinityCookie+" that load balancers can route by, with the value NAME; without NAME each client gets its own value")
	flags.Lookup("cookie-affinity").NoOptDefVal = anyAffinity
	flags.StringVar(&f.logFormat, "log-format", "text", "log format: text or json")
	flags.StringVar(&f.logLevel, "log-level", "info", "log level: debug, info, warn or error")
	flags.StringArrayVar(&f.addDirs, "add-dir", nil, "with --sandbox: also let the agent write in this directory (repeatable)")
	f.sandbox = SandboxFlag(cmd)
	f.sharing.flags(cmd)
	f.limitFlags(cmd)
	return cmd
}

func (f *serveFlags) limitFlags(cmd *cobra.Command) {
	flags, l := cmd.Flags(), &f.limits
	f.message, f.session, f.buffer, f.total = byteSize{&l.Message}, byteSize{&l.SessionBuffer}, byteSize{&l.ConnectionBuffer}, byteSize{&l.TotalBuffer}
	flags.IntVar(&l.Connections, "max-connections", l.Connections, "most connections, and so agents, at a time")
	flags.IntVar(&l.Sessions, "max-sessions", l.Sessions, "most sessions with a stream of their own in one HTTP connection")
	flags.Var(f.message, "max-message", "largest message from a client")
	flags.Var(f.session, "session-buffer", "how much may wait for the client in one session")
	flags.Var(f.buffer, "connection-buffer", "how much may wait for the client, and for the agent, in one connection; also the largest message from an agent")
	flags.Var(f.total, "total-buffer", "how much may wait in all connections together; a quarter is divided evenly among --max-connections")
	flags.DurationVar(&l.Idle, "idle-timeout", l.Idle, "end a connection without a stream, socket or request for this long")
	flags.DurationVar(&l.Initialize, "initialize-timeout", l.Initialize, "give up on an agent that does not answer initialize")
	flags.DurationVar(&l.Header, "header-timeout", l.Header, "how long request headers may take")
	flags.DurationVar(&l.Read, "read-timeout", l.Read, "how long each part of a request body, and the first WebSocket message, may take")
	flags.DurationVar(&l.Stall, "stall-timeout", l.Stall, "give up on a client or agent that reads nothing, or does not answer a ping, for this long")
	flags.DurationVar(&l.KeepAlive, "keep-alive", l.KeepAlive, "how long an event stream is silent before a comment is sent; a WebSocket gets a ping after twice as long")
	flags.DurationVar(&l.Drain, "drain-timeout", l.Drain, "how long shutting down may take")
}

func serveAgent(cmd *cobra.Command, args []string, f serveFlags, s Streams) error {
	if err := f.sharing.check(cmd, args, !f.noToken && f.tokenFile == ""); err != nil {
		return err
	}
	log, err := f.logger(s.Err)
	if err != nil {
		return err
	}
	opts, err := f.options(log)
	if err != nil {
		return err
	}
	served := "live sessions"
	if f.sharing.on {
		opts.Start = f.sharing.start
		f.sharing.store, err = clientTokens()
	} else {
		served, opts.Start, err = f.command(cmd, args)
	}
	if err != nil {
		return err
	}
	ln, err := f.open(cmd.Context(), &opts)
	if err != nil {
		return err
	}
	uninvite, err := f.introduce(cmd.Context(), ln.Addr(), &opts, s.Out)
	if err != nil {
		ln.Close()
		return err
	}
	defer uninvite()
	signal.Ignore(syscall.SIGPIPE) // if the log's reader exits, the agents must not be abandoned
	server := gateway.New(opts)
	log.Info("serving", "address", ln.Addr().String(), "path", f.path, "tls", opts.TLS != nil, "token", opts.Identify != nil, "command", served)
	over := make(chan struct{})
	defer close(over)
	return server.Serve(cmd.Context(), ln, secondSignal(cmd.Context(), over))
}

// command returns the name of the agent's program, and what starts it.
func (f *serveFlags) command(cmd *cobra.Command, args []string) (string, func(gateway.Client, *slog.Logger) (gateway.Agent, error), error) {
	argv, err := agentCommand(cmd, args)
	if err != nil {
		return "", nil, err
	}
	command, env, err := serving(f.sandbox(), argv, f.addDirs)
	return argv[0], gateway.Command(command, env, f.limits.ConnectionBuffer), err
}

// introduce decides whose tokens are accepted, and prints what to type on the other side. uninvite revokes a
// one-time token that nobody has used.
func (f *serveFlags) introduce(ctx context.Context, bound net.Addr, opts *gateway.Options, out io.Writer) (uninvite func(), err error) {
	token, h := "", &f.sharing
	ownTokens := h.on && f.tokenFile == "" && !f.noToken
	switch {
	case ownTokens:
		opts.Identify = h.identify
		token, err = h.firstToken()
	case opts.Identify == nil && !f.noToken:
		token, err = f.generatedToken(bound, opts.Log)
		opts.Identify = gateway.OneToken(token, gateway.Client{})
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(out, "connect with: "+f.client(bound, token))
	if ownTokens && token == "" {
		fmt.Fprintln(out, "TOKEN is the client's; parley tokens lists them, parley tokens add makes one")
	}
	if h.qr == "" {
		return func() {}, nil
	}
	if isLoopback(bound) {
		_, port, _ := net.SplitHostPort(bound.String())
		opts.Log.Warn("only this machine can connect; --listen 0.0.0.0:" + port + " lets others")
	}
	h.invitation = &invitation{ctx: ctx, store: h.store, name: h.qr, role: h.role,
		show: func(name, token string) { showQR(out, f.url(bound), name, h.role, token, f.tokenInQuery) }}
	return h.invitation.withdraw, h.invitation.renew()
}

// agentCommand returns the command after --.
func agentCommand(cmd *cobra.Command, args []string) ([]string, error) {
	switch dash := cmd.ArgsLenAtDash(); {
	case dash < 0 && len(args) > 0:
		return nil, Usagef("type the agent's command after --, as in `parley serve -- %s`", strings.Join(args, " "))
	case dash < 0 || len(args) == 0:
		return nil, Usagef("no agent; type its command after --, as in `parley serve -- my-agent --acp`")
	case dash > 0:
		return nil, Usagef("%q is before --; type the agent's command after it", args[0])
	}
	return args, nil
}

func (f *serveFlags) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	switch f.logLevel {
	case "debug", "info", "warn", "error":
		level.UnmarshalText([]byte(f.logLevel)) // cannot fail, the value was checked
	default:
		return nil, Usagef("--log-level %s: want debug, info, warn or error", f.logLevel)
	}
	opts := &slog.HandlerOptions{Level: level}
	switch f.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(w, opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return nil, Usagef("--log-format %s: want text or json", f.logFormat)
}

func (f *serveFlags) options(log *slog.Logger) (gateway.Options, error) {
	o := gateway.Options{Path: f.path, TokenInQuery: f.tokenInQuery, AllowOrigins: f.origins, AllowHosts: f.hosts,
		StrictSessions: f.strict, CookieAffinity: f.affinity != "", Limits: f.limits, Log: log}
	if err := f.check(); err != nil {
		return o, err
	}
	if f.affinity != anyAffinity {
		o.AffinityValue = f.affinity
	}
	o.Limits.Ping = 2 * o.Limits.KeepAlive
	if f.tokenFile != "" {
		token, err := readToken(f.tokenFile, log)
		if err != nil {
			return o, Usagef("--token-file %v", err)
		}
		o.Identify = gateway.OneToken(token, gateway.Client{Role: f.sharing.role})
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return o, Usagef("--tls-cert, --tls-key: %v", err)
		}
		o.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	return o, nil
}

// check rejects invalid values.
func (f *serveFlags) check() error {
	if !strings.HasPrefix(f.path, "/") || strings.ContainsAny(f.path, "?#% \t") || f.path == "/healthz" {
		return Usagef("--path %s: want a plain path such as /acp", f.path)
	}
	if (f.cert == "") != (f.key == "") {
		return Usagef("--tls-cert and --tls-key belong together")
	}
	if f.noToken && (f.tokenFile != "" || f.tokenInQuery) {
		return Usagef("--no-token cannot be used with --token-file or --token-in-query")
	}
	for _, origin := range f.origins {
		scheme, host, ok := strings.Cut(strings.TrimSuffix(origin, "/"), "://")
		if origin != "null" && (!ok || scheme == "" || host == "" || strings.ContainsAny(host, "/*")) {
			return Usagef("--allow-origin %s: want scheme://host[:port]", origin)
		}
	}
	for _, host := range f.hosts {
		if host == "" || strings.ContainsAny(host, "/*") {
			return Usagef("--allow-host %s: want a name, with or without a port", host)
		}
	}
	l := f.limits
	for name, value := range map[string]int64{"max-connections": int64(l.Connections), "max-sessions": int64(l.Sessions), "idle-timeout": int64(l.Idle),
		"initialize-timeout": int64(l.Initialize), "header-timeout": int64(l.Header), "read-timeout": int64(l.Read), "stall-timeout": int64(l.Stall), "drain-timeout": int64(l.Drain), "keep-alive": int64(l.KeepAlive)} {
		if value <= 0 {
			return Usagef("--%s: must be positive", name)
		}
	}
	if l.KeepAlive > longestKeepAlive {
		return Usagef("--keep-alive %s: want at most %s, because clients give up after a longer silence", l.KeepAlive, longestKeepAlive)
	}
	if f.affinity != "" && !affinityValue().MatchString(f.affinity) {
		return Usagef("--cookie-affinity=%s: want up to 64 letters, digits, dots, hyphens and underscores", f.affinity)
	}
	if l.SessionBuffer > l.ConnectionBuffer {
		return Usagef("--session-buffer is larger than --connection-buffer")
	}
	if l.ConnectionBuffer > l.TotalBuffer {
		return Usagef("--connection-buffer is larger than --total-buffer")
	}
	return nil
}

// open starts to listen. With --no-token it accepts only loopback addresses.
func (f *serveFlags) open(ctx context.Context, o *gateway.Options) (net.Listener, error) {
	host, port, err := net.SplitHostPort(f.listen)
	if err != nil {
		return nil, Usagef("--listen %s: want HOST:PORT", f.listen)
	}
	if _, err := net.DefaultResolver.LookupPort(ctx, "tcp", port); err != nil {
		return nil, Usagef("--listen %s: %q is not a port", f.listen, port)
	}
	exposed := Usagef("--listen %s can be reached from other machines: leave out --no-token, or listen on 127.0.0.1", f.listen)
	if f.noToken && !loopback(ctx, host) {
		return nil, exposed
	}
	ln, err := net.Listen("tcp", f.listen)
	if err != nil {
		return nil, err
	}
	local := isLoopback(ln.Addr())
	if f.noToken && !local { // the name may resolve differently by now
		ln.Close()
		return nil, exposed
	}
	if !local && o.TLS == nil {
		o.Log.Warn("without TLS, others on the network can read the token and every message")
	}
	if _, err := netip.ParseAddr(host); host != "" && err != nil {
		o.AllowHosts = append(o.AllowHosts, host)
	}
	return ln, nil
}

// loopback reports whether only this machine can reach a host to listen on.
func loopback(ctx context.Context, host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	if host == "" {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	for _, a := range addrs {
		if !a.Unmap().IsLoopback() {
			return false
		}
	}
	return err == nil && len(addrs) > 0
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

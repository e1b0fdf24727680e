package cli

import (
	"fmt"
	"math"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// url returns the URL that a client types, on this machine or another.
func (f *serveFlags) url(bound net.Addr) string {
	scheme := "ws"
	if f.cert != "" {
		scheme = "wss"
	}
	host, _, _ := net.SplitHostPort(f.listen)
	_, port, _ := net.SplitHostPort(bound.String())
	if addr, err := netip.ParseAddr(host); host == "" || err == nil && addr.IsUnspecified() {
		host = externalAddress()
		if len(f.hosts) > 0 {
			name, own, err := net.SplitHostPort(f.hosts[0])
			if err != nil {
				name, own = f.hosts[0], port
			}
			host, port = name, own
		}
	}
	return scheme + "://" + net.JoinHostPort(host, port) + f.path
}

// externalAddress returns an address of this machine that other machines may reach.
func externalAddress() string {
	addrs, _ := net.InterfaceAddrs()
	best := ""
	for _, a := range addrs {
		n, ok := a.(*net.IPNet)
		if !ok || !n.IP.IsGlobalUnicast() {
			continue
		}
		if n.IP.To4() != nil {
			return n.IP.String()
		}
		if best == "" {
			best = n.IP.String()
		}
	}
	if best == "" {
		return "127.0.0.1"
	}
	return best
}

// byteSize is a flag in bytes, with an optional suffix KiB, MiB or GiB.
type byteSize struct{ n *int64 }

var units = []struct {
	name  string
	shift uint
}{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}}

func (b byteSize) String() string {
	if b.n == nil {
		return ""
	}
	for _, u := range units {
		if *b.n >= 1<<u.shift && *b.n%(1<<u.shift) == 0 {
			return strconv.FormatInt(*b.n>>u.shift, 10) + u.name
		}
	}
	return strconv.FormatInt(*b.n, 10)
}

// Set implements pflag.Value.
func (b byteSize) Set(text string) error {
	shift := uint(0)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			text, shift = rest, u.shift
			break
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt32>>shift {
		return fmt.Errorf("want a number of bytes, such as 65536 or 16MiB, below 2GiB")
	}
	*b.n = n << shift
	return nil
}

// Type implements pflag.Value.
func (b byteSize) Type() string { return "size" }

package transport

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"
)

// TLSProblem is why TLS, or its absence, keeps a connection from being made.
type TLSProblem int

// The problems. The first four are about the server's certificate.
const (
	UnknownAuthority TLSProblem = iota // no authority that this machine trusts has signed it
	OtherHost                          // it is for other hosts
	OutOfDate                          // it has expired or is not valid yet
	BadCertificate                     // anything else
	ServerWithoutTLS                   // the URL says TLS
	ServerWithTLS                      // the URL says no TLS
)

// TLSError is a connection that could not be made for a TLSProblem. Its text holds names of the
// server's certificate, unchanged.
type TLSError struct {
	Problem TLSProblem
	text    string
}

func (e *TLSError) Error() string { return e.text }

// Retryable reports that a retry without the user makes no sense.
func (e *TLSError) Retryable() bool { return false }

// explainTLS returns a *TLSError if that is why a connection could not be made, else err. dial makes
// another connection to find out.
func (r *remote) explainTLS(ctx context.Context, dial dialFunc, err error) error {
	var certificate *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	var status *StatusError
	switch {
	case errors.As(err, &certificate):
		return certificateError(certificate.Err)
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &header):
		return &TLSError{ServerWithoutTLS, "the server does not speak TLS"}
	case r.url.Scheme == "https", notDialled(err), errors.As(err, &status) && status.Status != http.StatusBadRequest:
		return err
	case r.expectsTLS(ctx, dial):
		return &TLSError{ServerWithTLS, "the server expects TLS"}
	}
	return err
}

// certificateError explains why the server's certificate was rejected.
func certificateError(err error) error {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		return &TLSError{UnknownAuthority, "its certificate is signed by an unknown authority"}
	case errors.As(err, &host):
		names := host.Certificate.DNSNames
		for _, ip := range host.Certificate.IPAddresses {
			names = append(names, ip.String())
		}
		const most = 3
		if len(names) > most {
			names = append(names[:most:most], "…")
		}
		return &TLSError{OtherHost, "its certificate is for " + cmp.Or(strings.Join(names, ", "), "no host") + ", not for " + host.Host}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		text := "its certificate expired on " + invalid.Cert.NotAfter.Format(time.DateOnly)
		if time.Now().Before(invalid.Cert.NotBefore) {
			text = "its certificate is not valid before " + invalid.Cert.NotBefore.Format(time.DateOnly)
		}
		return &TLSError{OutOfDate, text}
	}
	return &TLSError{BadCertificate, plainText(err)}
}

// handshakeProbe bounds how long expectsTLS waits.
const handshakeProbe = 3 * time.Second

// expectsTLS reports whether the server answers a TLS handshake. Nothing else is sent, and the
// certificate does not matter. Behind a proxy it is not tried.
func (r *remote) expectsTLS(ctx context.Context, dial dialFunc) bool {
	if r.proxied() {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, handshakeProbe)
	defer stop()
	conn, err := dial(ctx, "tcp", net.JoinHostPort(r.url.Hostname(), cmp.Or(r.url.Port(), "80")))
	if err != nil {
		return false
	}
	defer conn.Close()
	err = tls.Client(conn, &tls.Config{InsecureSkipVerify: true, ServerName: r.url.Hostname()}).HandshakeContext(ctx)
	var alert *net.OpError
	return err == nil || errors.As(err, &alert) && alert.Op == "remote error"
}

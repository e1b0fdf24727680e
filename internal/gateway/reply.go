package gateway

import (
	"encoding/json"
	"net/http"
)

// JSON-RPC error codes of the gateway.
const (
	codeParse    = -32700
	codeInvalid  = -32600
	codeInternal = -32603
)

// refuse answers a refused request. Clients of POST get the reason as a JSON-RPC error, the
// others as a line of text. The reason never contains text from the client.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	s.log.Debug("request refused", "method", r.Method, "status", status, "reason", why, "remote", r.RemoteAddr)
	if r.Method == http.MethodPost {
		code := codeInvalid
		if status >= 500 {
			code = codeInternal
		}
		writeFailure(w, status, nil, code, why)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write([]byte(why + "\n"))
}

// writeFailure responds with a JSON-RPC error for the request with this raw id.
func writeFailure(w http.ResponseWriter, status int, id []byte, code int, message string) {
	if id == nil {
		id = []byte("null")
	}
	body, _ := json.Marshal(struct { // numbers and strings: it cannot fail
		Code    int    `json:"code"`
		Message string `json:"message"`
	}{code, message})
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	out = append(out, `,"error":`...)
	out = append(out, body...)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(append(out, '}'))
}

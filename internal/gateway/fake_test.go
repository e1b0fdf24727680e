package gateway

import (
	"bytes"
	"io"
	"log/slog"
	"sync"

	"parley/acpclient/transport"
)

// fake is an agent in memory. The gateway sees messages and knows no ACP, so neither does this.
type fake struct {
	hear func(*fake, []byte) // called with each message of the client, which it may keep
	says chan []byte

	once  sync.Once
	ended chan struct{}
}

// faked makes the server start agents in memory.
func faked(hear func(*fake, []byte)) func(*Options) {
	return func(o *Options) {
		o.Start = func(Client, *slog.Logger) (Agent, error) {
			return newFake(hear), nil
		}
	}
}

func newFake(hear func(*fake, []byte)) *fake {
	return &fake{hear: hear, says: make(chan []byte, 64), ended: make(chan struct{})}
}

func (f *fake) say(msg []byte) {
	select {
	case f.says <- msg:
	case <-f.ended:
	}
}

func (f *fake) Recv() ([]byte, error) {
	select {
	case msg := <-f.says:
		return msg, nil
	case <-f.ended:
		return nil, io.EOF
	}
}

func (f *fake) Send(m transport.Message) error {
	f.hear(f, m.Data)
	return nil
}

func (f *fake) Close() error       { f.once.Do(func() { close(f.ended) }); return nil }
func (f *fake) Kill()              { f.Close() }
func (f *fake) ExitReason() string { return "fake" }

var (
	initializePart = []byte(`"method":"initialize"`)
	initializeDone = []byte(`{"jsonrpc":"2.0","id":0,"result":{"pid":1}}`)
)

// echoes answers initialize (id 0) and echoes everything else.
func echoes(f *fake, msg []byte) {
	if bytes.Contains(msg, initializePart) {
		msg = initializeDone
	}
	f.say(msg)
}

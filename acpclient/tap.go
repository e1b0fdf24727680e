package acpclient

import "parley/acpclient/transport"

// Tap sees every message of a connection as it travels: out says that parley
// sent it. It is called on the reader or the writer goroutine, must not block,
// and must not keep data.
type Tap func(out bool, data []byte)

// tapped is a connection with a tap.
type tapped struct {
	transport.Conn
	tap Tap
}

func (c tapped) Recv() ([]byte, error) {
	data, err := c.Conn.Recv()
	if err == nil {
		c.tap(false, data)
	}
	return data, err
}

func (c tapped) Send(m transport.Message) error {
	err := c.Conn.Send(m)
	if err == nil {
		c.tap(true, m.Data)
	}
	return err
}

package headless

import (
	"errors"
	"testing"
)

// full is a writer that accepts a number of bytes.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}

func TestAnswerRemembersWhatWasLost(t *testing.T) {
	t.Parallel()
	a := &answer{to: &full{room: 10}}
	if _, err := a.Write([]byte("0123456789")); err != nil || a.err != nil {
		t.Fatal(err)
	}
	if _, err := a.Write([]byte("x")); err == nil {
		t.Fatal("the write succeeded")
	}
	a.to = &full{room: 10}
	if _, err := a.Write([]byte("y")); err == nil || a.err == nil {
		t.Error("text after a gap was written")
	}
}

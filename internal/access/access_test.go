package access

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/filelock"
	"parley/internal/hello"
	"parley/internal/must"
)

func newStore(t *testing.T) (*Store, string) {
	t.Helper()
	path := filepath.Join(must.Get(filepath.EvalSymlinks(t.TempDir()))(t), "state", "clients.json")
	return Open(path), path
}

// Two stores of one file stand for two programs.
func TestATokenIsFoundUntilItIsRemoved(t *testing.T) {
	s, path := newStore(t)
	other := Open(path)
	if _, ok := s.Find(""); ok {
		t.Error("found without a file")
	}
	phone := must.Get(s.Add("phone", hello.Watch, false))(t)
	desk := must.Get(other.Add("desk", hello.Approve, false))(t)
	for text, want := range map[string]Token{phone: {Name: "phone", Role: hello.Watch}, desk: {Name: "desk", Role: hello.Approve}} {
		for _, s := range []*Store{s, other} {
			got, ok := s.Find(text)
			if !ok || got.Name != want.Name || got.Role != want.Role || got.Created.IsZero() || !got.Used.IsZero() {
				t.Errorf("got %+v, %v", got, ok)
			}
		}
	}
	for _, wrong := range []string{"", phone[1:], phone + "x", strings.ToLower(phone), hash(phone)} {
		if _, ok := s.Find(wrong); ok {
			t.Errorf("%q is no token", wrong)
		}
	}
	if text := string(must.Get(os.ReadFile(path))(t)); strings.Contains(text, phone) || !strings.Contains(text, hash(phone)) {
		t.Errorf("the file has\n%s", text)
	}
	if info := must.Get(os.Stat(path))(t); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	must.Do(t, other.Remove("phone"))
	if _, ok := s.Find(phone); ok {
		t.Error("found after it was removed")
	}
	if err := s.Remove("phone"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	if _, err := s.Add("desk", hello.Watch, false); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	must.Do(t, s.Forget(hash(desk)))
	if all, err := other.All(); len(all) != 0 || err != nil {
		t.Errorf("left %+v, %v", all, err)
	}
}

func TestNames(t *testing.T) {
	s, _ := newStore(t)
	for _, name := range []string{"", "-x", "a b", "a/b", "é", "a\x1b", strings.Repeat("x", 41)} {
		if _, err := s.Add(name, hello.Watch, false); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

func TestUse(t *testing.T) {
	s, path := newStore(t)
	always, _ := s.Find(must.Get(s.Add("always", hello.Talk, false))(t))
	once, _ := s.Find(must.Get(s.Add("once", hello.Talk, true))(t))
	var won sync.WaitGroup
	first := make(chan error, 10)
	for range cap(first) {
		won.Go(func() { first <- Open(path).Use(once.Hash) })
	}
	won.Wait()
	close(first)
	n := 0
	for err := range first {
		switch {
		case err == nil:
			n++
		case !errors.Is(err, errUsed):
			t.Error(err)
		}
	}
	if n != 1 {
		t.Errorf("the one-time token was used %d times", n)
	}
	for range 3 {
		must.Do(t, s.Use(always.Hash))
	}
	for _, token := range must.Get(s.All())(t) {
		if time.Since(token.Used) > time.Minute {
			t.Errorf("not recorded: %+v", token)
		}
	}
	must.Do(t, s.Remove("always"))
	if err := s.Use(always.Hash); !errors.Is(err, errRevoked) {
		t.Error(err)
	}
}

// A program in the sandbox may read the file of the lock, and so lock it. It keeps nobody from revoking a token.
func TestALockThatIsHeld(t *testing.T) {
	s, path := newStore(t)
	text := must.Get(s.Add("phone", hello.Talk, false))(t)
	desk, _ := s.Find(must.Get(s.Add("desk", hello.Talk, true))(t))
	held := must.Get(os.Open(path + ".lock"))(t)
	defer held.Close()
	if !filelock.Lock(held) {
		t.Fatal("not locked")
	}
	defer func(d time.Duration) { lockTime = d }(lockTime)
	lockTime = 20 * time.Millisecond
	if _, err := s.Add("other", hello.Talk, false); err == nil {
		t.Error("added without the lock")
	}
	must.Do(t, Open(path).Remove("phone"))
	must.Do(t, s.Forget(desk.Hash))
	if _, ok := s.Find(text); ok || len(must.Get(s.All())(t)) > 0 {
		t.Error("not removed")
	}
}

// A one-time token that nobody has used for a day is gone.
func TestOneTimeTokensLapse(t *testing.T) {
	s, path := newStore(t)
	text := must.Get(s.Add("x", hello.Talk, true))(t)
	token, _ := s.Find(text)
	token.Created = token.Created.Add(-unusedTime - time.Minute)
	must.Do(t, os.WriteFile(path, must.Get(json.Marshal(file{[]Token{token}}))(t), 0o600))
	if got, ok := s.Find(text); ok {
		t.Errorf("found %+v", got)
	}
	must.Get(s.Add("x", hello.Talk, true))(t)
	token.Used = time.Now()
	must.Do(t, os.WriteFile(path, must.Get(json.Marshal(file{[]Token{token}}))(t), 0o600))
	if _, ok := s.Find(text); !ok {
		t.Error("its connection has lost it")
	}
}

func TestRemovalIsSeen(t *testing.T) {
	s, path := newStore(t)
	token, _ := s.Find(must.Get(s.Add("phone", hello.Talk, false))(t))
	ctx, stop := context.WithCancel(t.Context())
	seen, given := make(chan error, 1), make(chan error, 1)
	go func() { seen <- s.AwaitRemoval(t.Context(), token.Hash) }()
	go func() { given <- s.AwaitRemoval(ctx, token.Hash) }()
	stop()
	if err := <-given; err != context.Canceled {
		t.Error(err)
	}
	start := time.Now()
	must.Do(t, Open(path).Remove("phone"))
	if err := <-seen; err != nil || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// A file that somebody else may have written, or that is damaged, lets nobody in and is not overwritten.
func TestBadFiles(t *testing.T) {
	s, path := newStore(t)
	text := must.Get(s.Add("phone", hello.Talk, false))(t)
	good := must.Get(os.ReadFile(path))(t)
	for name, data := range map[string]string{"cut": string(good[:len(good)/2]), "empty": "", "huge": strings.Repeat(" ", maxFile+1),
		"no role": strings.Replace(string(good), `"talk"`, `"root"`, 1)} {
		must.Do(t, os.WriteFile(path, []byte(data), 0o600))
		if got, ok := s.Find(text); ok {
			t.Errorf("%s: found %+v", name, got)
		}
		if _, err := s.Add("x", hello.Talk, false); err == nil && name != "no role" {
			t.Errorf("%s: overwritten", name)
		}
	}
	must.Do(t, os.WriteFile(path, good, 0o600))
	if _, ok := s.Find(text); !ok {
		t.Error("not found when the file is back")
	}
	if runtime.GOOS != "windows" {
		must.Do(t, os.Chmod(path, 0o666))
		must.Do(t, os.WriteFile(path, append(good, '\n'), 0o666))
		if _, ok := s.Find(text); ok {
			t.Error("others could write the file")
		}
	}
}

package workspace

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"parley/acpclient/event"
)

// ErrSignedOut is why a login is offered before the agent has refused anything.
var ErrSignedOut = errors.New("it is signed out")

// Account says who has signed in with the agent, safe to show: "" if the agent has not said anything about
// it, "unknown" if it does not know.
func (a *Agent) Account() string { return a.who(true) }

// who names the accounts, with whose they are if about is set.
func (a *Agent) who(about bool) string {
	switch a.account.State {
	case event.SignedOut:
		return "signed out"
	case event.LoginNotNeeded:
		return "no login needed"
	case event.SignedIn:
	default:
		return string(a.account.State)
	}
	all := a.account.Accounts
	if active := slices.DeleteFunc(slices.Clone(all), func(c event.Account) bool { return !c.Active }); len(active) > 0 {
		all = active
	}
	var words []string
	for _, c := range all {
		whose := slices.DeleteFunc([]string{cmp.Or(c.Email, c.Name), c.Organization}, func(s string) bool { return s == "" })
		if about && len(whose) > 0 {
			c.Label += " (" + strings.Join(whose, ", ") + ")"
		}
		words = append(words, c.Label)
	}
	return cmp.Or(strings.Join(words, "; "), "signed in")
}

// LoginOf says in a few words what is known of the login of an agent of the list, whether it runs or not; ""
// if nothing is.
func (w *Workspace) LoginOf(s Spec) string {
	for _, a := range w.Agents() {
		if who := a.who(false); a.Spec.Name == s.Name && who != "" && a.account.State != event.AuthUnknown {
			return who
		}
	}
	if s.NeedsLogin {
		return "login needed"
	}
	return ""
}

// SignedOut reports whether the agent says that nobody has signed in.
func (a *Agent) SignedOut() bool { return a.account.State == event.SignedOut }

// askAccount asks the agent who has signed in, if it can say so. What it reports meanwhile is newer.
func (a *Agent) askAccount() {
	if info := a.Info(); info == nil || !info.AuthStatus {
		a.offerLogin() // it may have reported it without being asked
		return
	}
	client, before, status := a.conn.Client, a.accounts, event.AuthStatusChanged{}
	a.request(func(ctx context.Context) (err error) {
		status, err = client.AuthStatus(ctx)
		return err
	}, func(err error) {
		if err == nil && a.accounts == before {
			a.setAccount(status)
		}
	})
}

// setAccount records who has signed in.
func (a *Agent) setAccount(now event.AuthStatusChanged) {
	was := a.Account()
	a.account = now
	a.accounts++
	if a.Account() != was {
		a.w.tell(AccountChanged{OfAgent{a}})
	}
	a.offerLogin()
}

// offerLogin offers a login, once for each connection, if nobody has signed in: the first prompt would be
// refused.
func (a *Agent) offerLogin() {
	busy := slices.ContainsFunc(a.Sessions(), func(s *Session) bool { return s.Running() || s.Busy() })
	if a.SignedOut() && !a.opening && !busy && !a.Login.offered && a.Login.name == "" && len(a.Login.Methods()) > 0 {
		a.Login.want(nil, ErrSignedOut)
	}
}

package wire

// AuthStatus is the answer to auth/status, and auth/status_update. State: authenticated, unauthenticated,
// not_required, unknown; others count as unknown.
type AuthStatus struct {
	State    string
	Accounts []Account

	kind    string
	account Account
}

// Account is one that the agent has signed in with, for display.
type Account struct {
	Label, Name, Email, Organization string
	Active                           bool
}

var authStatus = object(
	optional("state", text, func(s *AuthStatus) *string { return &s.State }),
	optional("accounts", list(object(
		required("label", filled, func(a *Account) *string { return &a.Label }),
		optional("name", text, func(a *Account) *string { return &a.Name }),
		optional("email", text, func(a *Account) *string { return &a.Email }),
		optional("organization", text, func(a *Account) *string { return &a.Organization }),
		optional("active", isTrue, func(a *Account) *bool { return &a.Active }),
	).value), func(s *AuthStatus) *[]Account { return &s.Accounts }),
	nested("authStatus", // of claude, which has one account: its kind is "none" while it has none
		optional("kind", text, func(s *AuthStatus) *string { return &s.kind }),
		optional("label", text, func(s *AuthStatus) *string { return &s.account.Label }),
		optional("detail", text, func(s *AuthStatus) *string { return &s.account.Name }),
		nested("account",
			optional("email", text, func(s *AuthStatus) *string { return &s.account.Email }),
			optional("organization", text, func(s *AuthStatus) *string { return &s.account.Organization })),
	),
)

// UnmarshalJSON is lenient.
func (s *AuthStatus) UnmarshalJSON(data []byte) error {
	*s = AuthStatus{}
	err := authStatus.all(data, s)
	switch s.account.Active = true; {
	case s.kind == "none":
		s.State = "unauthenticated"
	case s.kind != "" && s.account.Label != "":
		s.State, s.Accounts = "authenticated", append(s.Accounts, s.account)
	}
	return err
}

// SessionStatus is the answer to session/status: open, saved; others count as saved. State is that of an
// open session of v2, "" if unknown.
type SessionStatus struct{ Status, State string }

var sessionStatus = object(
	optional("status", text, func(s *SessionStatus) *string { return &s.Status }),
	nested("state", optional("state", text, func(s *SessionStatus) *string { return &s.State })),
)

// UnmarshalJSON is lenient.
func (s *SessionStatus) UnmarshalJSON(data []byte) error {
	*s = SessionStatus{}
	return sessionStatus.all(data, s)
}

// Titled is the answer to session/set_title: the title as the agent has stored it.
type Titled struct{ Title string }

var titled = object(optional("title", text, func(t *Titled) *string { return &t.Title }))

// UnmarshalJSON is lenient.
func (t *Titled) UnmarshalJSON(data []byte) error {
	*t = Titled{}
	return titled.all(data, t)
}

// Steered is the answer to _session/steering.
type Steered struct{ Outcome string }

var steered = object(optional("outcome", text, func(s *Steered) *string { return &s.Outcome }))

// UnmarshalJSON is lenient.
func (s *Steered) UnmarshalJSON(data []byte) error {
	*s = Steered{}
	return steered.all(data, s)
}

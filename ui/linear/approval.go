package linear

import (
	"context"
	"fmt"

	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui"
)

// chooseApproval asks what is to become of questions that no rule answers.
func chooseApproval(ds *dialogs, tasks *tasks, s *workspace.Session) {
	conn := s.Agent.Conn()
	if conn == nil || s.ACP == nil {
		ds.out.say("The session is not open yet.")
		return
	}
	broker, session := conn.Broker, s.ACP.ID()
	set := func(m permissions.Mode) {
		broker.SetMode(session, m)
		ds.out.say("From now on: %s, %s.", m, ui.ApprovalWords(m))
		tasks.run(func(context.Context) func() {
			broker.Reconsider(session) // it looks at files
			return func() {}
		})
	}
	var choices []choice
	for _, m := range permissions.Modes {
		label := fmt.Sprintf("%s: %s", m, ui.ApprovalWords(m))
		if m == broker.Mode(session) {
			label += ", as it is now"
		}
		choices = append(choices, choice{label: label, do: func() {
			if m != permissions.AllMode {
				set(m)
				return
			}
			ds.confirm("Allow everything in this session, commands and files, without a question?", "Yes, everything", "No, leave it as it is", func() { set(m) })
		}})
	}
	ds.menu("What is to become of questions:", choices)
}

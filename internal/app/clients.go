package app

import (
	"parley/internal/join"
	"parley/internal/localsock"
	"parley/internal/version"
	"parley/internal/workspace"
)

// letClientsJoin has other ACP clients join the sessions of a parley that is kept under a name. approve says
// that they may allow what agents ask for.
func letClientsJoin(front *workspace.FrontEnd, name string, approve bool) error {
	path, err := localsock.Path(name, "acp")
	if err != nil {
		return err
	}
	l, err := localsock.Listen(path)
	if err != nil {
		return err
	}
	front.Clients = path
	front.Begun = func(w *workspace.Workspace) {
		join.Serve(w, l, join.Options{Version: version.Name(), ApproveFromClients: approve})
	}
	return nil
}

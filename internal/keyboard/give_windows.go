package keyboard

import (
	"context"
	"os"
	"os/exec"
)

func give(ctx context.Context, cmd *exec.Cmd) error { return runPlain(ctx, cmd) }

func terminate(p *os.Process) { p.Kill() }

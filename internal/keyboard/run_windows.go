package keyboard

import (
	"context"
	"fmt"
	"io"
	"os/exec"
)

func run(ctx context.Context, cmd *exec.Cmd, line string) ([]string, error) {
	if cmd.Stdout != nil {
		if _, err := io.WriteString(cmd.Stdout, heading(line, "ctrl+c ends it", 80)+"\r\n"); err != nil {
			return nil, fmt.Errorf("write to the terminal: %w", err)
		}
	}
	return nil, give(ctx, cmd)
}

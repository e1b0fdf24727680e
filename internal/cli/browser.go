package cli

import (
	"context"
	"fmt"
	"runtime"

	"parley/internal/programs"
)

// OpenURL opens an address in the user's browser and does not wait for it. The caller must have
// checked that the address is safe to open.
func OpenURL(url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	file, err := programs.Find(name)
	if err != nil {
		return fmt.Errorf("open the browser: %w", err)
	}
	cmd := programs.Command(context.Background(), file, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	go cmd.Wait()
	return nil
}

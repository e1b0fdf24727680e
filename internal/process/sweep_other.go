//go:build !linux

package process

import (
	"context"
	"time"
)

// SetInstallation does nothing: see Sweep.
func SetInstallation(string) {}

// Sweep does nothing: off Linux, leftover processes cannot be recognised.
func Sweep(context.Context, time.Duration) (found, left int) { return 0, 0 }

package toolserver

import "time"

// WithPatience bounds the wait for a token.
func (o Options) WithPatience(d time.Duration) Options { o.patience = d; return o }

// WithProgress sets the interval of progress notifications.
func (o Options) WithProgress(d time.Duration) Options { o.progress = d; return o }

// The limits that tests need.
const (
	MaxUnknown    = maxUnknown
	MaxTokenLine  = maxTokenLine
	MaxSocketPath = maxSocketPath
	MaxText       = maxText
	MaxCalls      = maxCalls
	MaxRequests   = maxRequests
)

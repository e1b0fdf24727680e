package faults

import (
	"flag"
	"os"
	"strconv"
	"testing"
	"time"

	"parley/internal/decoy"
)

// patience is how long a test waits for something that must happen.
const patience = 30 * time.Second

// agentWord as the first argument makes the test program play the agent.
const agentWord = "play-the-agent"

var seedFlag = flag.Uint64("seed", 0, "seed of the faults; 0: those of the tests")

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == agentWord {
		os.Exit(playAgent(os.Args[2]))
	}
	flag.Parse()
	if os.Getenv("GORACE") == "" { // with the race detector every agent would take a second to exit
		os.Setenv("GORACE", "atexit_sleep_ms=0")
	}
	os.Exit(decoy.Run(m))
}

// seedsToTry returns two seeds, because some cases depend on whether the seed is even.
func seedsToTry(t *testing.T) []uint64 {
	t.Helper()
	if *seedFlag != 0 {
		return []uint64{*seedFlag}
	}
	if s := os.Getenv("PARLEY_FAULTS_SEED"); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("$PARLEY_FAULTS_SEED: %v", err)
		}
		return []uint64{seed}
	}
	return []uint64{1, 2}
}

package transport

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// childMode in the environment makes the test program act as an agent instead of running
// the tests.
const childMode = "TRANSPORT_TEST_CHILD"

func init() {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(playChild(mode))
	}
}

func playChild(mode string) int {
	switch mode {
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
	case "large": // a line of 20 MiB, then a small one
		os.Stdout.Write(append(bytes.Repeat([]byte("x"), 20<<20), "\nsmall\n"...))
	case "drip": // one byte at a time, even within a rune
		for _, c := range []byte("{\"a\":\"é\"}\r\n\n{\"b\":2}") {
			os.Stdout.Write([]byte{c})
		}
	case "noisy": // 10 MB of stderr before the first message
		line := strings.Repeat("e", 99) + "\n"
		for range 100_000 {
			io.WriteString(os.Stderr, line)
		}
		io.WriteString(os.Stderr, "last words\n")
		fmt.Println("ready")
		io.Copy(io.Discard, os.Stdin)
	case "exit3": // dies in the middle of a prompt
		bufio.NewReader(os.Stdin).ReadString('\n')
		io.WriteString(os.Stderr, "first\nno money left\n")
		return 3
	case "mute": // closes its output and keeps running
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "stubborn": // ignores the end of its input, and SIGTERM
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "obeys SIGTERM":
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		fmt.Println("ready")
		<-term
		return 5
	case "flood": // writes endlessly, never reads
		w := bufio.NewWriterSize(os.Stdout, 1<<20)
		line := []byte(strings.Repeat("x", 1000) + "\n")
		for {
			if _, err := w.Write(line); err != nil {
				return 1
			}
		}
	case "updates": // on request, as many updates as it is told, in chunks of a given size
		var n, each int
		fmt.Sscan(os.Getenv("UPDATES"), &n, &each)
		fmt.Println("ready")
		bufio.NewReader(os.Stdin).ReadString('\n')
		feeder(update("s1", 1)+"\n", each)(os.Stdout, func() {}, n)
		io.Copy(io.Discard, os.Stdin)
	case "wrapper": // leaves a stubborn child that holds all its streams
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childMode+"=stubborn")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return 1
		}
		fmt.Println(cmd.Process.Pid)
	case "environment":
		dir, _ := os.Getwd()
		fmt.Println(os.Getenv("COLOUR"), strings.Join(os.Args[1:], "|"), dir)
	default:
		return 99
	}
	return 0
}

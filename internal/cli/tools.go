package cli

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/process"
	"parley/internal/toolserver"
)

// OfferToolsFlag adds --offer-tools to a command. given returns its value, nil if it was not set.
func OfferToolsFlag(cmd *cobra.Command) (given func() *bool) {
	value := cmd.Flags().Bool("offer-tools", false, "offer files and commands as an MCP server to an agent of ACP 2 (default: from the configuration)")
	return func() *bool {
		if !cmd.Flags().Changed("offer-tools") {
			return nil
		}
		return value
	}
}

// tools returns the command that an agent of ACP v2 starts to use files and commands; nil if it is
// offered none.
func (s *Setup) tools(a agents.Agent) ([]string, error) {
	offer := s.Config.OfferTools
	if own, ok := s.Config.Agents[a.Name]; ok && a.Source == agents.Config && own.OfferTools != nil {
		offer = *own.OfferTools
	}
	if s.OfferTools != nil {
		offer = *s.OfferTools
	}
	if !offer || a.URL != "" { // the socket is on this machine
		return nil, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find parley's own program, to offer tools: %w", err)
	}
	return []string{self, "mcp"}, nil
}

// NewMCP is `parley mcp`, which only agents start.
func NewMCP(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:    "mcp",
		Short:  "Relay MCP between an agent and the parley that offers it tools",
		Hidden: true,
		Args:   NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			withhold(&config.Config{}, RemoteFlags{})
			path, token := process.Withheld(toolserver.SocketVar), process.Withheld(toolserver.TokenVar)
			if path == "" || token == "" {
				return Usagef("`parley mcp` is started by agents that parley offers tools to: %s and %s are not set", toolserver.SocketVar, toolserver.TokenVar)
			}
			debug.FreeOSMemory()           // it only relays, often for hours: what the start has used is not needed
			signal.Ignore(syscall.SIGPIPE) // an agent that exits must not kill the server
			return toolserver.Relay(cmd.Context(), s.In, s.Out, path, token)
		},
	}
}

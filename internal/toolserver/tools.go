package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The input schemas of the tools. Any other member is refused by name.
const (
	readSchema = `{"type":"object","additionalProperties":false,"required":["path"],"properties":{
		"path":{"type":"string","minLength":1,"description":"The file: an absolute path, or one relative to the session's working directory."},
		"line":{"type":"integer","minimum":1,"maximum":2147483647,"description":"The first line to return, counted from 1. Default: 1."},
		"limit":{"type":"integer","minimum":1,"maximum":2147483647,"description":"How many lines to return. Default: all that fit."}}}`

	writeSchema = `{"type":"object","additionalProperties":false,"required":["path","content"],"properties":{
		"path":{"type":"string","minLength":1,"description":"The file: an absolute path, or one relative to the session's working directory."},
		"content":{"type":"string","description":"All that the file shall hold."}}}`

	runSchema = `{"type":"object","additionalProperties":false,"required":["command"],"properties":{
		"command":{"type":"string","minLength":1,"pattern":"\\S","description":"The program to run. Without args it may also be a whole command line, which a shell runs."},
		"args":{"type":"array","items":{"type":"string"},"description":"Arguments of the program, passed on as they are."},
		"cwd":{"type":"string","minLength":1,"description":"Where to run it: an absolute path, or one relative to the session's working directory. Default: that directory."},
		"env":{"type":"object","additionalProperties":{"type":"string"},"description":"Environment variables to set, over those of the user."},
		"output_byte_limit":{"type":"integer","minimum":0,"maximum":1048576,"description":"How many bytes of output to return; of longer output the end. Default: 65536."},
		"timeout_seconds":{"type":"number","exclusiveMinimum":0,"maximum":86400,"description":"End the command after this long. Default: 600."}}}`
)

const (
	readDescription = "Read a text file of the user's machine. Files outside of the session's directories, and those known to hold secrets, " +
		"are read only if the user allows it. Long files are cut off; a note names the line to continue with."

	writeDescription = "Write a text file on the user's machine: its whole content is replaced, or the file and the directories above it are created. " +
		"The user sees the change and may have to allow it first."

	runDescription = "Run a command on the user's machine, wait until it ends and return its output and exit code. There is no terminal and no standard input. " +
		"The user may have to allow it first. What the command leaves running is ended with it."
)

// Names of the tools.
const (
	ReadTool  = "read_text_file"
	WriteTool = "write_text_file"
	RunTool   = "run_command"
)

// instructions tell the model about the server as a whole.
const instructions = "Files and commands of the machine that the user sits at, in the session's working directory %s. " +
	"Reading there is free; the user is asked before anything is written, run, or read elsewhere. A no of the user is final: do not try to get around it."

// tools returns the MCP server of the offer.
func (o *offer) tools() *mcp.Server {
	opts := o.server.opts
	server := mcp.NewServer(&mcp.Implementation{Name: Name, Version: opts.Version}, &mcp.ServerOptions{
		Instructions: fmt.Sprintf(instructions, o.cwd),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	yes, no := true, false
	if opts.FS != nil {
		add(o, server, o.read, mcp.Tool{Name: ReadTool, Title: "Read a file", Description: readDescription, InputSchema: json.RawMessage(readSchema),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}})
		add(o, server, o.write, mcp.Tool{Name: WriteTool, Title: "Write a file", Description: writeDescription, InputSchema: json.RawMessage(writeSchema),
			Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: true, OpenWorldHint: &no}})
	}
	if opts.Terminals != nil {
		add(o, server, o.run, mcp.Tool{Name: RunTool, Title: "Run a command", Description: runDescription, InputSchema: json.RawMessage(runSchema),
			Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &yes}})
	}
	return server
}

// result is the output of a tool: texts, one block each.
type result struct {
	texts  []string
	failed bool
}

// add adds a tool to the server. Its work begins when the session is known and ends early
// if the offer ends it. Errors become texts for the model.
func add[In any](o *offer, server *mcp.Server, work func(context.Context, string, In) (result, error), tool mcp.Tool) {
	mcp.AddTool(server, &tool, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		r, err := func() (result, error) {
			ctx, done, err := o.begin(ctx)
			if err != nil {
				return result{}, err
			}
			defer done()
			defer o.reportProgress(ctx, req)()
			session, err := o.wait(ctx)
			if err != nil {
				return result{}, err
			}
			r, err := work(ctx, session, in)
			if err != nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return r, err
		}()
		if err != nil {
			r = result{texts: []string{errorText(err)}, failed: true}
		}
		out := &mcp.CallToolResult{IsError: r.failed}
		for _, t := range r.texts {
			out.Content = append(out.Content, &mcp.TextContent{Text: t})
		}
		return out, nil, nil
	})
}

// reportProgress tells a client that asked for progress that a call is still running: the
// user may take longer to answer than the client would wait. stop ends that and waits,
// because nothing may follow the result.
func (o *offer) reportProgress(ctx context.Context, req *mcp.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(o.server.opts.progress)
		defer tick.Stop()
		for n := 1.0; ; n++ {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: n}) != nil {
				return
			}
		}
	}()
	return func() { cancel(); <-ended }
}

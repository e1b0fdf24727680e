package carried

import (
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/safetext"
	"parley/internal/words"
)

// The text around a conversation that is sent with a prompt, for an agent that was not part of it.
const (
	conversationIntro = "This is our conversation so far, from another session:\n\n"
	conversationEnd   = "Continue from there."
)

// maxConversation is how much of a conversation is sent with a prompt, and maxSaid how much of one
// message, in bytes.
const (
	maxConversation = 60_000
	maxSaid         = 12_000
)

// Conversation returns what Retell does as a block that is sent with a prompt; "" if there is nothing.
func Conversation(items []*thread.Item) string { return Told(Retell(items)) }

// Told returns a conversation as a block that is sent with a prompt; "" if it is blank.
func Told(text string, prompts int) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	fence := fenceFor(text)
	return conversationIntro + fence + "markdown " + words.Count(prompts, "prompt") + ", " + words.Bytes(len(text)) + "\n" + text + "\n" + fence + "\n\n" + conversationEnd + "\n\n"
}

// Retell returns the prompts, answers and tool calls of a conversation as Markdown, and how many prompts it has.
// If it is long, the oldest of them are left out, and the middle of long ones.
func Retell(items []*thread.Item) (text string, prompts int) {
	var parts []string
	used, omitted := 0, 0
	for i, it := range slices.Backward(items) {
		switch it.Kind {
		case thread.UserMessage, thread.AgentMessage, thread.ToolCall:
		default:
			continue
		}
		if it.Excluded || it.Blank() {
			continue
		}
		part := ""
		if omitted == 0 {
			part = retold(it, slices.ContainsFunc(items[:i], (*thread.Item).IsPrompt))
		}
		if omitted > 0 || used+len(part) > maxConversation {
			omitted++
			continue
		}
		if it.Kind == thread.UserMessage {
			prompts++
		}
		used += len(part)
		parts = append(parts, part)
	}
	if omitted > 0 {
		parts = append(parts, fmt.Sprintf("… %d earlier entries omitted …", omitted))
	}
	slices.Reverse(parts)
	return strings.Join(parts, "\n\n"), prompts
}

// retold returns a message or a tool call as a part of a conversation. follows says that there are
// earlier prompts: a conversation that was sent with this one, in a fork, is among them.
func retold(it *thread.Item, follows bool) string {
	who := "**User:**"
	switch it.Kind {
	case thread.AgentMessage:
		who = "**Agent:**"
	case thread.ToolCall:
		return "- Tool call: " + safetext.Line(words.OneLine(describe.Verbed(it.Tool, it.Tool.Title, " ")), 300) + " (" + it.Tool.Status + ")"
	}
	text := string(it.Text)
	if carried, rest := Split(text); follows && it.Kind == thread.UserMessage {
		carried = slices.DeleteFunc(carried, func(block string) bool { return strings.HasPrefix(block, conversationIntro) })
		text = strings.Join(append(carried, rest), "")
	}
	text = strings.TrimSpace(text)
	if len(text) > maxSaid {
		head, tail := text[:maxSaid/2], text[len(text)-maxSaid/2:]
		text = fmt.Sprintf("%s\n… %d bytes omitted …\n%s", strings.ToValidUTF8(head, ""), len(text)-maxSaid, strings.ToValidUTF8(tail, ""))
	}
	return who + "\n\n" + text
}

// conversationLine describes a block of Conversation, from its fence on.
func conversationLine(block string) string {
	first, _, _ := strings.Cut(block, "\n")
	_, size, _ := strings.Cut(first, "markdown ")
	return "the conversation so far (" + size + ")"
}

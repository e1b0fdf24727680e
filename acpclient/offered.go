package acpclient

import (
	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// offered posts the modes and options in an answer. If there are options the modes are
// ignored.
func (s *Session) offered(modes *wire.Modes, config []wire.ConfigOption, models *wire.Modes) {
	if modes != nil && len(config) == 0 {
		s.post(event.ModesOffered{For: s.wireContext(), Current: modes.Current, Available: choices(modes.Available)})
	}
	if len(config) > 0 {
		s.post(event.ConfigChanged{For: s.wireContext(), Options: configOptions(config)})
	} else if models != nil {
		s.post(event.ConfigChanged{For: s.wireContext(), Options: []event.ConfigOption{{ID: event.LegacyModels, Name: "Model", Category: "model", Type: "select",
			Current: models.Current, Choices: choices(models.Available)}}})
	}
}

// optionsSet decodes the result of session/set_config_option, nil if it has no options.
func (c *Client) optionsSet(result []byte) ([]event.ConfigOption, error) {
	r := wire.Offered{Version: c.version()}
	if err := jsonrpc.Decode("session/set_config_option", result, &r); err != nil || r.Config == nil {
		return nil, err
	}
	return configOptions(r.Config), nil
}

func choices(modes []wire.Mode) []event.Choice {
	out := make([]event.Choice, 0, len(modes))
	for _, m := range modes {
		out = append(out, event.Choice{ID: m.ID, Name: safetext.Line(m.Name, 80), Description: safetext.Line(m.Description, maxTitle), Group: safetext.Line(m.Group, 80)})
	}
	return out
}

func configOptions(options []wire.ConfigOption) []event.ConfigOption {
	out := make([]event.ConfigOption, 0, len(options))
	for _, o := range options {
		out = append(out, event.ConfigOption{ID: o.ID, Name: safetext.Line(o.Name, 80), Category: safetext.Line(o.Category, 40), Type: o.Type,
			Current: o.Current, Choices: choices(o.Options)})
	}
	return out
}

func commands(list []wire.Command) []event.Command {
	var out []event.Command
	for _, c := range list {
		out = append(out, event.Command{Name: safetext.Line(c.Name, maxTitle), Description: safetext.Line(c.Description, maxPhrase), Hint: safetext.Line(c.Hint, maxTitle)})
	}
	return out
}

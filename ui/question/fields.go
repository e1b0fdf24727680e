package question

import (
	"fmt"

	"parley/internal/elicit"
	"parley/ui/widget/form"
)

// formFields converts the fields of a parsed form to those of the widget.
func formFields(parsed elicit.Form) []form.Field {
	kinds := map[elicit.Kind]form.Kind{elicit.Text: form.FormText, elicit.Number: form.FormNumber, elicit.Integer: form.FormNumber,
		elicit.Bool: form.FormBool, elicit.Select: form.FormSelect, elicit.MultiSelect: form.FormMulti, elicit.Unknown: form.FormText}
	fields := make([]form.Field, 0, len(parsed.Fields))
	for _, f := range parsed.Fields {
		w := form.Field{Label: f.Title, Help: f.Description, Kind: kinds[f.Kind], Required: f.Required, Value: formValue(f, f.Default)}
		if f.Kind == elicit.Unknown {
			w.Help = "Unknown kind of field: enter raw JSON. " + w.Help
		}
		if f.Secret {
			w.Warning = "Never enter passwords or keys in a form"
		}
		for _, o := range f.Options {
			w.Options = append(w.Options, form.FormOption{Label: o.Title, Help: o.Description})
		}
		w.Check = func(v form.Value) error { return f.Validate(fieldValue(f, v)) }
		fields = append(fields, w)
	}
	return fields
}

// formValue converts the default of a field to the widget's value.
func formValue(f elicit.Field, v any) form.Value {
	switch v := v.(type) {
	case string:
		if f.Kind == elicit.Select {
			return form.Value{Chosen: places(f, []string{v})}
		}
		return form.Value{Text: v}
	case bool:
		return form.Value{On: v}
	case []string:
		return form.Value{Chosen: places(f, v)}
	case nil:
		return form.Value{}
	}
	return form.Value{Text: fmt.Sprint(v)}
}

func places(f elicit.Field, values []string) []int {
	var out []int
	for i, o := range f.Options {
		for _, v := range values {
			if o.Value == v {
				out = append(out, i)
			}
		}
	}
	return out
}

// fieldValue converts the widget's value to what the form's rules check and the agent gets.
func fieldValue(f elicit.Field, v form.Value) any {
	switch f.Kind {
	case elicit.Bool:
		return v.On
	case elicit.Select:
		if len(v.Chosen) == 0 {
			return nil
		}
		return f.Options[v.Chosen[0]].Value
	case elicit.MultiSelect:
		out := []string{}
		for _, i := range v.Chosen {
			out = append(out, f.Options[i].Value)
		}
		return out
	}
	if v.Text == "" {
		return nil
	}
	return v.Text
}

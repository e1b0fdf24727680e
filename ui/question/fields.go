package question

import (
	"fmt"

	"parley/internal/elicit"
	"parley/ui/widget"
)

// formFields turns a form of the protocol into one of the screen.
func formFields(form elicit.Form) []widget.FormField {
	kinds := map[elicit.Kind]widget.FormKind{elicit.Text: widget.FormText, elicit.Number: widget.FormNumber, elicit.Integer: widget.FormNumber,
		elicit.Bool: widget.FormBool, elicit.Select: widget.FormSelect, elicit.MultiSelect: widget.FormMulti, elicit.Unknown: widget.FormText}
	fields := make([]widget.FormField, 0, len(form.Fields))
	for _, f := range form.Fields {
		w := widget.FormField{Label: f.Title, Help: f.Description, Kind: kinds[f.Kind], Required: f.Required, Value: formValue(f, f.Default)}
		if f.Kind == elicit.Unknown {
			w.Help = "raw JSON: parley does not know this kind of field. " + w.Help
		}
		if f.Secret {
			w.Warning = "never give passwords or keys to a form"
		}
		for _, o := range f.Options {
			w.Options = append(w.Options, widget.FormOption{Label: o.Title, Help: o.Description})
		}
		w.Check = func(v widget.FormValue) error { return f.Validate(fieldValue(f, v)) }
		fields = append(fields, w)
	}
	return fields
}

// formValue is what a field of the screen begins with.
func formValue(f elicit.Field, v any) widget.FormValue {
	switch v := v.(type) {
	case string:
		if f.Kind == elicit.Select {
			return widget.FormValue{Chosen: places(f, []string{v})}
		}
		return widget.FormValue{Text: v}
	case bool:
		return widget.FormValue{On: v}
	case []string:
		return widget.FormValue{Chosen: places(f, v)}
	case nil:
		return widget.FormValue{}
	}
	return widget.FormValue{Text: fmt.Sprint(v)}
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

// fieldValue is what was filled in, as the form's rules take it.
func fieldValue(f elicit.Field, v widget.FormValue) any {
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

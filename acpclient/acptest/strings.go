package acptest

import "reflect"

// EachString calls f for all strings in an event, with the path of fields to each; of an error it is
// the text.
func EachString(e any, f func(path, text string)) {
	eachString(reflect.ValueOf(e), reflect.TypeOf(e).Name(), f)
}

func eachString(v reflect.Value, path string, f func(path, text string)) {
	if !v.IsValid() {
		return
	}
	if v.CanInterface() {
		if err, ok := v.Interface().(error); ok && err != nil {
			f(path, err.Error())
			return
		}
	}
	switch v.Kind() {
	case reflect.String:
		f(path, v.String())
	case reflect.Pointer, reflect.Interface:
		eachString(v.Elem(), path, f)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			eachString(v.Index(i), path, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachString(v.Field(i), path+"."+v.Type().Field(i).Name, f)
			}
		}
	}
}

package paint

// onResize does nothing: the console reports its size among the keys.
func onResize(func()) (stop func()) { return func() {} }

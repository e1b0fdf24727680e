package hello

// Initialized is the answer to initialize of a parley of a version of its own, in a version of ACP. A parley
// and a router to several parleys answer the same.
func Initialized(protocol int, version string, images bool) map[string]any {
	type object = map[string]any
	self := object{"name": "parley", "title": "parley", "version": version}
	if protocol == 2 {
		prompt := object{}
		if images {
			prompt["image"] = object{}
		}
		return object{"protocolVersion": 2, "info": self, "capabilities": object{"session": object{"prompt": prompt, "status": object{}}}}
	}
	return object{"protocolVersion": 1, "agentInfo": self, "authMethods": []any{}, "agentCapabilities": object{
		"loadSession":         true,
		"promptCapabilities":  object{"image": images, "audio": false, "embeddedContext": false},
		"mcpCapabilities":     object{"http": false, "sse": false},
		"sessionCapabilities": object{"list": object{}, "resume": object{}, "close": object{}, "status": object{}},
	}}
}

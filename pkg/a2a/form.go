package a2a

// form is how a message is spelt. The zero value is A2A 1.0's ProtoJSON; the
// others are of A2A before 1.0. An answer has the form of its request.
type form struct {
	// oldRole: the roles are user and agent.
	oldRole bool
	// kinds: messages and parts name their kind.
	kinds bool
	// bare: the result is the message, not an object that holds it.
	bare bool
}

// start is what comes before messageId.
func (f form) start() string {
	start := `{"message":{`
	if f.bare {
		start = `{`
	}
	if f.kinds {
		start += `"kind":"message",`
	}
	return start
}

// middle is what comes between contextId and the payload.
func (f form) middle() string {
	role, part := "ROLE_AGENT", ""
	if f.oldRole {
		role = "agent"
	}
	if f.kinds {
		part = `"kind":"data",`
	}
	return `,"role":"` + role + `","parts":[{` + part + `"data":`
}

// end is what closes the message.
func (f form) end() string {
	if f.bare {
		return ""
	}
	return "}"
}

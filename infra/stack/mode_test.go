package stack

// pooledCondition holds where one stack serves many dealers.
const pooledCondition = "Pooled"

// otherwise is where a template keeps what it is not made of in its mode, so that
// parameters of that are not taken for useless.
const otherwise = "Otherwise"

// inMode is the template as it is where the stack serves many dealers, or one.
func (t template) inMode(pooled bool) template {
	m := &modeOf{pooled: pooled}
	out, _ := m.value(tree(t)).(tree)
	for id, resource := range treeAt(out, "Resources") {
		if textAt(resource, "Condition") != pooledCondition {
			continue
		}
		if delete(resource.(tree), "Condition"); !pooled {
			m.dropped = append(m.dropped, resource)
			delete(treeAt(out, "Resources"), id)
		}
	}
	out[otherwise] = m.dropped
	return template(out)
}

type modeOf struct {
	pooled  bool
	dropped []any
}

// value resolves the choices between the modes, and leaves every other.
func (m *modeOf) value(value any) any {
	switch v := value.(type) {
	case []any:
		out := []any{}
		for _, item := range v {
			// What was absent before stays: that is a choice of another condition.
			if chosen := m.value(item); !absent(chosen) || absent(item) {
				out = append(out, chosen)
			}
		}
		return out
	case tree:
		if choice := listAt(v, "Fn::If"); len(choice) == 3 && choice[0] == pooledCondition {
			taken, left := choice[2], choice[1]
			if m.pooled {
				taken, left = left, taken
			}
			m.dropped = append(m.dropped, left)
			return m.value(taken)
		}
		out := tree{}
		for name, item := range v {
			if item = m.value(item); !absent(item) || absent(v[name]) {
				out[name] = item
			}
		}
		return out
	}
	return value
}

func absent(value any) bool {
	return textAt(value, "Ref") == "AWS::NoValue"
}

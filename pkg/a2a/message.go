package a2a

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/rawjson"
	"github.com/dealer-agent/dealer/pkg/agent"
)

// sendMessage hands the payload of the first DataPart to its skill and wraps
// the answer (A2A 1.0 §3.1.1, AAP v1.3 JSON-RPC binding).
func (x *exchange) sendMessage() ([][]byte, *fault) {
	m, f := x.readMessage()
	if f != nil {
		return nil, f
	}
	return x.answerMessage(m)
}

// sendOldMessage is message/send of A2A before 1.0, whose result is the message
// itself.
func (x *exchange) sendOldMessage() ([][]byte, *fault) {
	m, f := x.readMessage()
	if f != nil {
		return nil, f
	}
	m.form = form{oldRole: true, kinds: true, bare: true}
	return x.answerMessage(m)
}

func (x *exchange) answerMessage(m message) ([][]byte, *fault) {
	x.skill, _ = agent.SkillOf(m.payload)
	if f := x.checkOutputModes(m.outputModes); f != nil {
		return nil, f
	}
	if m.taskID != "" {
		return nil, noTask()
	}
	got, f := x.call(m.payload)
	if f != nil {
		f.root = "message.parts[" + strconv.Itoa(m.part) + "].data"
		return nil, f
	}
	return x.compose(m, got), nil
}

// call runs the skill within the caller's quotas. A lead beyond them that was
// taken before is answered from the store: its buyer retries because our
// answer was lost.
func (x *exchange) call(payload []byte) (agent.Answer, *fault) {
	wait := x.wait
	if wait == 0 && x.skill == aap.LeadSubmit {
		wait = x.quota.Take(x.Ticks(), "lead "+x.caller.Key(), x.profile.Access.LeadsPerHour, time.Hour)
	}
	if wait > 0 {
		if got, found, err := x.Agent.Replay(x.ctx, x.version, payload); err == nil && found {
			return got, nil
		}
		return agent.Answer{}, x.overQuota(wait)
	}
	got, err := x.Agent.Call(x.ctx, x.version, payload)
	if err != nil {
		return agent.Answer{}, faultOf(err)
	}
	return got, nil
}

// compose wraps a payload as the agent's message. contextId is the caller's
// own, or a new one (A2A 1.0 §3.4.1).
func (x *exchange) compose(m message, got agent.Answer) [][]byte {
	id := x.NewID()
	if id == m.id { // AAP v1.3 JSON-RPC binding: it must differ from the request's
		id += "-answer"
	}
	head := append(make([]byte, 0, 256), m.form.start()...)
	head = append(head, `"messageId":`...)
	head, _ = aap.AppendValue(head, id)
	head = append(head, `,"contextId":`...)
	if m.contextID != nil {
		head = append(head, m.contextID...)
	} else {
		head, _ = aap.AppendValue(head, x.NewID())
	}
	head = append(head, m.form.middle()...)
	tail := append(make([]byte, 0, 128), `,"mediaType":"`...)
	tail = append(tail, got.Skill.ResponseMediaType()...)
	return [][]byte{head, got.Payload, append(append(tail, `"}]}`...), m.form.end()...)}
}

// message is what a SendMessage says, checked.
type message struct {
	id          string
	contextID   json.RawMessage
	taskID      string
	payload     json.RawMessage
	part        int
	outputModes []string
	form        form
}

// readMessage checks params as a whole and reports every fault of it. A member
// the agent has no use for is ignored (A2A 1.0 §5.7); the required ones are
// never defaulted.
func (x *exchange) readMessage() (message, *fault) {
	var m message
	params, c := x.openParams()
	if params == nil {
		return m, c.fault()
	}
	raw := c.member(params, "", "message", "message")
	switch {
	case raw == nil:
		c.add("/message", "required", "This member is required.")
	case !isObject(raw):
		c.add("/message", "type", "Send an object.")
	default:
		m = c.readBody(open(raw), x.version)
	}
	m.outputModes = c.readOutputModes(params)
	if m.payload != nil {
		// The schema check of the payload reports its own faults together.
		at := "/message/parts/" + strconv.Itoa(m.part) + "/data"
		c.faults = slices.DeleteFunc(c.faults, func(v aap.Violation) bool {
			return v.InstanceLocation == at || strings.HasPrefix(v.InstanceLocation, at+"/")
		})
	}
	if f := c.fault(); f != nil {
		return m, f
	}
	if m.payload == nil {
		return m, x.noDataPart()
	}
	return m, nil
}

func (c *checker) readBody(msg object, v aap.Version) (m message) {
	const at = "/message"
	if m.id = c.text(msg, at, "messageId", "message_id"); m.id == "" {
		c.missing(msg, at, "messageId", "message_id")
	}
	m.form.kinds = v.OldMethod && msg["kind"] != nil
	role, isText := text(c.member(msg, at, "role", "role"))
	m.form.oldRole = v.OldMethod && role == "user"
	if raw, _ := msg.get("role", "role"); raw == nil {
		c.add(at+"/role", "required", "This member is required; send ROLE_USER.")
	} else if role != "ROLE_USER" && !m.form.oldRole && (isText || string(raw) != "1") { // 1 is ROLE_USER in ProtoJSON
		c.add(at+"/role", "const", "A request is a message of ROLE_USER.")
	}
	if raw := c.member(msg, at, "contextId", "context_id"); raw != nil {
		if s, ok := text(raw); !ok {
			c.add(at+"/contextId", "type", "Send a string.")
		} else if s != "" {
			m.contextID = raw
		}
	}
	m.taskID = c.text(msg, at, "taskId", "task_id")
	raw := c.member(msg, at, "parts", "parts")
	switch {
	case raw == nil:
		c.add(at+"/parts", "required", "This member is required.")
	case !isArray(raw):
		c.add(at+"/parts", "type", "Send an array.")
	default:
		m.payload, m.part = c.choosePart(raw)
	}
	return m
}

// missing adds the fault of a required string that is absent or empty; one of
// another type was reported when it was read.
func (c *checker) missing(o object, at, camel, snake string) {
	switch raw, _ := o.get(camel, snake); {
	case raw == nil:
		c.add(at+"/"+camel, "required", "This member is required.")
	case isString(raw):
		c.add(at+"/"+camel, "minLength", "This text must not be empty.")
	}
}

// choosePart finds the first part whose data is an object. Text, files and
// links mean nothing in AAP and are skipped, and so are further DataParts: one
// message never runs two skills.
func (c *checker) choosePart(parts json.RawMessage) (payload json.RawMessage, index int) {
	i := 0
	for raw := range rawjson.Elements(parts) {
		at := "/message/parts/" + strconv.Itoa(i)
		if !isObject(raw) {
			c.add(at, "type", "Send an object.")
		} else if payload == nil {
			part := open(raw)
			if data := part["data"]; isObject(data) {
				payload, index = data, i
				c.otherContents(part, at)
			}
		}
		i++
	}
	if i == 0 {
		c.add("/message/parts", "minItems", "Send one part with data.")
	}
	return payload, index
}

// otherContents refuses a second content beside data: readers would differ
// over which one counts.
func (c *checker) otherContents(part object, at string) {
	for _, other := range []string{"text", "raw", "url"} {
		if v := part[other]; v != nil && !isNull(v) {
			c.add(at+"/"+other, "oneOf", "A part has one content; this one stands beside data.")
		}
	}
}

// noDataPart tells a caller who sent only text, or no data object, what this
// agent speaks. Plain language is never interpreted.
func (x *exchange) noDataPart() *fault {
	types := agent.RequestTypes(x.profile)
	schemas := map[string]string{}
	for _, s := range aap.Skills() {
		if x.profile.Offers(s) {
			schemas[s.RequestType()] = x.version.SchemaBaseURL() + s.RequestSchema()
		}
	}
	e := aap.Errorf(aap.SchemaValidationFailed,
		"This agent speaks the Auto Agent Protocol %s and no plain language: send one part whose \"data\" is an object with a \"type\". "+
			"Types it answers: %s. Their JSON Schemas are at %s (details.request_schemas). Pointers in details.errors are rooted at %s.",
		x.version.Label, strings.Join(types, ", "), x.version.SchemaBaseURL(), x.binding.root()).
		With("errors", []aap.Violation{{InstanceLocation: "/message/parts", Keyword: "contains", Error: "Send a part whose data is an object."}}).
		With("request_types", types).
		With("request_schemas", schemas)
	return &fault{code: codeInvalidParams, message: e.Message, aap: e}
}

func compareViolations(a, b aap.Violation) int {
	return cmp.Or(strings.Compare(a.InstanceLocation, b.InstanceLocation), strings.Compare(a.Keyword, b.Keyword))
}

func pointerOr(pointer, whole string) string {
	const most = 80
	switch {
	case pointer == "":
		return whole
	case len(pointer) > most:
		return strings.ToValidUTF8(pointer[:most], "") + "..."
	}
	return pointer
}

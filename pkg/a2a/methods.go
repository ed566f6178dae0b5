package a2a

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// method runs one A2A operation and returns the JSON of "result" in pieces.
type method func(*exchange) ([][]byte, *fault)

// methods are the operations of A2A 1.0 §9.4. Only SendMessage does work; the
// others answer as an agent must that keeps no tasks and declares neither
// streaming, push notifications nor an extended card (A2A 1.0 §3.3.4).
var methods = map[string]method{
	sendMessage:                        (*exchange).sendMessage,
	"GetTask":                          (*exchange).unknownTask,
	"CancelTask":                       (*exchange).unknownTask,
	"ListTasks":                        (*exchange).listTasks,
	"SendStreamingMessage":             unsupported("This agent does not stream: send the message with SendMessage."),
	"SubscribeToTask":                  unsupported("This agent keeps no tasks: every SendMessage is answered at once."),
	"GetExtendedAgentCard":             unsupported("This agent has no extended card: the public one says everything."),
	"CreateTaskPushNotificationConfig": noPush,
	"GetTaskPushNotificationConfig":    noPush,
	"ListTaskPushNotificationConfigs":  noPush,
	"DeleteTaskPushNotificationConfig": noPush,
}

// oldMethods are the operations of A2A before 1.0 as far as contracts of that
// time are spoken with them.
var oldMethods = map[string]method{"message/send": (*exchange).sendOldMessage}

// operation finds what the request asks for.
func (x *exchange) operation() (run method, known bool) {
	if x.version.OldMethod {
		if run, known = oldMethods[x.method]; known {
			return run, true
		}
	}
	run, known = methods[x.method]
	return run, known
}

// sends reports whether the operation carries a message.
func (x *exchange) sends() bool { return x.method == sendMessage || oldMethods[x.method] != nil }

func unsupported(message string) method {
	return func(*exchange) ([][]byte, *fault) { return nil, a2aFault(errUnsupported, message) }
}

func noPush(*exchange) ([][]byte, *fault) {
	return nil, a2aFault(errPush, "This agent sends no push notifications: every SendMessage is answered at once.")
}

func noTask() *fault {
	return a2aFault(errTask, "There is no such task: this agent keeps none, every SendMessage is answered at once.")
}

// unknownTask answers for operations on one task, of which there are none.
func (x *exchange) unknownTask() ([][]byte, *fault) {
	params, c := x.openParams()
	if id := c.text(params, "", "id", "id"); id == "" {
		c.add("/id", "required", "Send the id of a task.")
	}
	if f := c.fault(); f != nil {
		return nil, f
	}
	return nil, noTask()
}

// taskStates are the values of TaskState (a2a.proto 1.0).
var taskStates = []string{
	"TASK_STATE_UNSPECIFIED", "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED", "TASK_STATE_FAILED",
	"TASK_STATE_CANCELED", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED",
}

// listTasks answers the empty list. The operation is part of A2A's core, so no
// capability switches it off (A2A 1.0 §3.1.4).
func (x *exchange) listTasks() ([][]byte, *fault) {
	params, c := x.openParams()
	size := 50
	if n, given := c.integer(params, "pageSize", "page_size"); given {
		if n < 1 || n > 100 {
			c.add("/pageSize", "maximum", "The page size is 1 to 100.")
		}
		size = int(n)
	}
	if c.text(params, "", "pageToken", "page_token") != "" {
		c.add("/pageToken", "enum", "This is no token of this agent; there is one page only, so send none.")
	}
	if n, given := c.integer(params, "historyLength", "history_length"); given && n < 0 {
		c.add("/historyLength", "minimum", "This number must not be negative.")
	}
	c.text(params, "", "contextId", "context_id")
	if raw, _ := params.get("status", "status"); raw != nil {
		name, _ := text(raw)
		number, err := strconv.Atoi(string(raw)) // ProtoJSON takes enum numbers too
		if !slices.Contains(taskStates, name) && (err != nil || number < 0 || number >= len(taskStates)) {
			c.add("/status", "enum", "Send the name of a task state, such as TASK_STATE_COMPLETED.")
		}
	}
	if at := c.text(params, "", "statusTimestampAfter", "status_timestamp_after"); at != "" {
		if _, err := time.Parse(time.RFC3339, at); err != nil {
			c.add("/statusTimestampAfter", "format", "Send an RFC 3339 date-time with an offset.")
		}
	}
	if f := c.fault(); f != nil {
		return nil, f
	}
	result := append([]byte(`{"tasks":[],"nextPageToken":"","pageSize":`), strconv.Itoa(size)...)
	return [][]byte{append(result, `,"totalSize":0}`...)}, nil
}

// checker collects the faults of params; pointers are rooted at params, which
// are the whole body where there is no other envelope.
type checker struct {
	binding binding
	faults  []aap.Violation
}

// openParams reads params as an object. The checker starts with the faults the
// scan of the whole request found below it.
func (x *exchange) openParams() (object, *checker) {
	c := &checker{binding: x.binding, faults: slices.Clone(x.envelopeFaults)}
	if x.params == nil {
		return object{}, c
	}
	params := open(x.params)
	if params == nil {
		c.add("", "type", "Send an object.")
	}
	return params, c
}

// mostFaults is how many faults of the envelope one answer lists.
const mostFaults = 100

func (c *checker) add(pointer, keyword, problem string) {
	if len(c.faults) >= mostFaults {
		return
	}
	c.faults = append(c.faults, aap.Violation{InstanceLocation: pointer, Keyword: keyword, Error: problem})
}

// member reads one member below the pointer at.
func (c *checker) member(o object, at, camel, snake string) json.RawMessage {
	raw, twice := o.get(camel, snake)
	if twice {
		c.add(at+"/"+camel, "duplicateKey", "This member is sent twice, as "+camel+" and as "+snake+"; send it once.")
	}
	return raw
}

// text reads an optional string member; empty when it is absent.
func (c *checker) text(o object, at, camel, snake string) string {
	raw := c.member(o, at, camel, snake)
	if raw == nil {
		return ""
	}
	s, ok := text(raw)
	if !ok {
		c.add(at+"/"+camel, "type", "Send a string.")
	}
	return s
}

// integer reads an optional int32 member, which ProtoJSON also takes as a string.
func (c *checker) integer(o object, camel, snake string) (n int64, given bool) {
	raw := c.member(o, "", camel, snake)
	if raw == nil {
		return 0, false
	}
	if s, ok := text(raw); ok {
		raw = json.RawMessage(s)
	}
	var whole aap.Int
	if !isNumber(raw) || whole.UnmarshalJSON(raw) != nil {
		c.add("/"+camel, "type", "Send an integer.")
		return 0, false
	}
	return int64(whole), true
}

// fault is the -32602 that lists everything collected, sorted; nil when there
// is nothing. It carries an aap.error as well: AAP buyers read only that.
func (c *checker) fault() *fault {
	if len(c.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(c.faults, compareViolations)
	e := aap.Errorf(aap.SchemaValidationFailed,
		"%s; details.errors lists where, as JSON Pointers into %[2]s. First, %[3]s: %[4]s",
		c.binding.faulty(), c.binding.root(), pointerOr(c.faults[0].InstanceLocation, c.binding.root()), c.faults[0].Error).
		With("errors", c.faults)
	return &fault{code: codeInvalidParams, message: e.Message, aap: e}
}

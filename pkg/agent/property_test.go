package agent_test

import (
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire/wiretest"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
)

func TestEveryValidRequestGetsAnAnswerOrAnErrorOfItsVersion(t *testing.T) {
	for _, v := range aap.Versions() {
		c, theirs := wiretest.New(t, v), schematest.Released(t, v)
		for _, skill := range aap.Skills() {
			t.Run(v.Label+"/"+skill.ID, func(t *testing.T) {
				s := agenttest.New(t, agenttest.Profile)
				rapid.Check(t, func(rt *rapid.T) {
					request := c.Draw(rt, skill.RequestSchema())
					answer, err := s.Agent.Call(t.Context(), v, request)
					file, doc := skill.ResponseSchema(), answer.Payload
					if err != nil {
						e, ok := errors.AsType[*aap.Error](err)
						if !ok || e.Code == aap.InternalError || e.Code == aap.SchemaValidationFailed {
							rt.Fatalf("%v\nfor %s", err, request)
						}
						file = "error.schema.json"
						if doc, err = json.Marshal(e.Payload("id", agenttest.Clock)); err != nil {
							rt.Fatal(err)
						}
					}
					if faults := c.Faults(t, file, doc); len(faults) > 0 {
						rt.Fatalf("%v\n%s\nfor %s", faults, doc, request)
					}
					if faults, err := theirs.Check(file, doc); err != nil || len(faults) > 0 {
						rt.Fatalf("released: %v %v\n%s\nfor %s", err, faults, doc, request)
					}
				})
			})
		}
	}
}

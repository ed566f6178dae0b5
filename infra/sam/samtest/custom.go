package samtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/dealer-agent/dealer/infra/sam/built"
)

// customAnswer is what a custom resource's function tells CloudFormation.
type customAnswer struct {
	Status, Reason                        string
	PhysicalResourceID                    string `json:"PhysicalResourceId"`
	StackID, RequestID, LogicalResourceID string
	Data                                  map[string]any
}

// hear takes the answer at the URL that CloudFormation gave. A pre-signed URL
// takes PUT alone and no type.
func (s *Stack) hear(w http.ResponseWriter, r *http.Request) {
	var answer customAnswer
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil || r.Method != http.MethodPut || r.Header.Get("Content-Type") != "" {
		http.Error(w, "SignatureDoesNotMatch", http.StatusForbidden)
		return
	}
	s.told <- answer
}

// makeCustom calls the function behind a custom resource and waits for what it
// tells (CloudFormation User Guide, "Custom resources").
func (s *Stack) makeCustom(id, kind string, p tree) (built.Resource, error) {
	f := s.function(textAt(p, "ServiceToken"))
	if f == nil {
		return built.Resource{}, fmt.Errorf("ServiceToken is %s, no function of the template", textAt(p, "ServiceToken"))
	}
	// CloudFormation sends every value as text.
	properties := tree{}
	for name, value := range p {
		if name != "ServiceTimeout" {
			properties[name] = text(value)
		}
	}
	request := tree{
		"RequestType": "Create", "RequestId": "create-" + id, "ResponseURL": s.answers.URL + "/answer?X-Amz-Signature=0", "StackId": stackID,
		"ResourceType": kind, "LogicalResourceId": id, "ResourceProperties": properties,
	}
	if _, err := s.invoke(s.t.Context(), f, request); err != nil {
		return built.Resource{}, err
	}
	select {
	case answer := <-s.told:
		if answer.Status != "SUCCESS" || answer.RequestID != "create-"+id || answer.StackID != stackID || answer.LogicalResourceID != id {
			return built.Resource{}, fmt.Errorf("the function tells %+v", answer)
		}
		made := known(answer.PhysicalResourceID, map[string]string{})
		for name, value := range answer.Data {
			made.Attributes[name] = text(value)
		}
		return made, nil
	case <-time.After(time.Second):
		return built.Resource{}, fmt.Errorf("CloudFormation is told nothing and would wait an hour")
	}
}

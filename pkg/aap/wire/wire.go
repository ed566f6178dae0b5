package wire

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

var (
	// ErrUnknown: there is no translation for the contract.
	ErrUnknown = errors.New("wire: no translation of this contract version")
	// ErrShape: the payload is not what its schema says.
	ErrShape = errors.New("wire: the payload is no JSON object")
)

// Context is what older shapes say about the dealer and newer ones do not, and
// what words that stand in for a member need to know.
type Context struct {
	// DealerID identifies the dealer.
	DealerID string
	// Brands are the makes the dealer represents.
	Brands []string
	// Currency of all money, ISO 4217. Default USD.
	Currency string
	// Priced is true when "price" has the meaning that the contract gives it,
	// so that it may be shown.
	Priced bool
	// Clock is the one that times in words are told on; without it that of the
	// buyer, and where they named none, as they were sent.
	Clock *time.Location
}

// step translates between one contract and the next newer one. Either function
// may be nil: nothing changes. They change the payload they are given.
type step struct {
	// up takes a request of the skill to the newer contract.
	up func(s aap.Skill, request *object, c Context)
	// down takes a response of the skill from the newer contract.
	down func(s aap.Skill, response *object, c Context)
}

// steps holds the step of each contract below the primary one, by label. Only
// the declarations of this package's variables write it.
var steps = map[string]step{}

// older declares the step of a contract; each version file calls it once.
func older(label string, s step) string {
	steps[label] = s
	return label
}

// Up translates a request payload of contract v to the primary contract.
func Up(v aap.Version, s aap.Skill, request []byte) ([]byte, error) {
	return UpWith(v, s, request, Context{})
}

// UpWith is Up for those who read the result to a person.
func UpWith(v aap.Version, s aap.Skill, request []byte, c Context) ([]byte, error) {
	chain, err := chainOf(v)
	if err != nil || !slices.ContainsFunc(chain, func(s step) bool { return s.up != nil }) {
		return request, err
	}
	doc, ok := parse(request)
	if !ok {
		return nil, ErrShape
	}
	for _, step := range chain {
		if step.up != nil {
			step.up(s, doc, c)
		}
	}
	return doc.append(make([]byte, 0, len(request)+64)), nil
}

// Down translates a response payload of the primary contract to contract v.
func Down(v aap.Version, s aap.Skill, response []byte, c Context) ([]byte, error) {
	chain, err := chainOf(v)
	if err != nil || len(chain) == 0 {
		return response, err
	}
	if c.Currency == "" {
		c.Currency = "USD"
	}
	doc, ok := parse(response)
	if !ok {
		return nil, ErrShape
	}
	for _, step := range slices.Backward(chain) {
		if step.down != nil {
			step.down(s, doc, c)
		}
	}
	return doc.append(make([]byte, 0, len(response)+len(response)/4)), nil
}

// chainOf lists the steps from contract v up to the primary one; none for the
// primary one itself.
func chainOf(v aap.Version) ([]step, error) {
	if v == aap.Primary() {
		return nil, nil
	}
	versions := aap.Versions()
	at := slices.Index(versions, v)
	if at < 0 {
		return nil, fmt.Errorf("%w: %q", ErrUnknown, v.Label)
	}
	chain := make([]step, 0, at)
	for ; at > 0; at-- {
		s, ok := steps[versions[at].Label]
		if !ok {
			return nil, fmt.Errorf("%w: %q", ErrUnknown, versions[at].Label)
		}
		chain = append(chain, s)
	}
	return chain, nil
}

package stacks

import (
	"errors"
	"strings"
	"time"
)

// Place is an account and region.
type Place struct {
	Region string `json:"region"`
	// Role is the ARN of a role in that account; empty for one's own account.
	Role string `json:"role,omitempty"`
	// ExternalID is what the role asks for; empty for nothing.
	ExternalID string `json:"-"`
}

// Account is the number of the account, empty for one's own.
func (p Place) Account() string {
	if parts := strings.Split(p.Role, ":"); len(parts) > 4 {
		return parts[4]
	}
	return ""
}

// String names the place to a person.
func (p Place) String() string {
	if account := p.Account(); account != "" {
		return account + "/" + p.Region
	}
	return p.Region
}

// Stack is a stack as CloudFormation tells it.
type Stack struct {
	ID, Name string
	// Status is CloudFormation's word, such as UPDATE_COMPLETE.
	Status, Reason            string
	Parameters, Tags, Outputs map[string]string
	Created                   time.Time
	// Updated is zero when it never was.
	Updated   time.Time
	Protected bool
}

// Busy reports whether CloudFormation is at work on it.
func (s Stack) Busy() bool {
	return strings.HasSuffix(s.Status, "_IN_PROGRESS") && s.Status != Review
}

// Review is the status of a stack that so far is a proposal only.
const Review = "REVIEW_IN_PROGRESS"

// Proposal is what a change set is made of.
type Proposal struct {
	Stack, Name string
	// New makes a stack that is not there yet.
	New bool
	// Body is the template, or URL where it lies in S3; one of them is empty.
	Body, URL        string
	Parameters, Tags map[string]string
	// Token makes repeated calls one.
	Token string
}

// ChangeSet is a proposal as CloudFormation sees it.
type ChangeSet struct {
	// Ready says that it can be executed, Empty that it would change nothing.
	Ready, Empty bool
	// Pending says that CloudFormation has not finished reading it.
	Pending bool
	// Executed says that it was, or is being.
	Executed bool
	Reason   string
}

// Event is one line of a stack's history.
type Event struct {
	At               time.Time
	Logical, Type    string
	Physical, Status string
	Reason           string
	Token            string
}

// Resource is one resource of a stack.
type Resource struct{ Logical, Physical, Type string }

// Drift is a resource that is not as its template says.
type Drift struct {
	Logical string `json:"resource"`
	Type    string `json:"type"`
	// Status is MODIFIED or DELETED.
	Status string `json:"status"`
	// Paths are the properties that differ.
	Paths []string `json:"paths,omitempty"`
}

var (
	// ErrMissing says that there is no such stack, change set or object.
	ErrMissing = errors.New("not there")
	// ErrExists says that a change set of that name is there already.
	ErrExists = errors.New("already there")
	// ErrEmpty says that a proposal would change nothing.
	ErrEmpty = errors.New("no changes")
	// ErrThrottled says that nothing was done since too much was asked at once.
	ErrThrottled = errors.New("asked too often")
	// ErrUnsure says that no answer came, so that nobody knows whether it was done.
	ErrUnsure = errors.New("no answer")
	// ErrDenied says that AWS refuses the credentials or the role.
	ErrDenied = errors.New("access denied")
)

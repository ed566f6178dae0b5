package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Starter is what a deployment knows of the dealer.
type Starter struct {
	// Name is the dealer's as buyers read it.
	Name string
	// Phone is in E.164 form.
	Phone string
	// Timezone is of the form Area/City.
	Timezone string
}

// Profile is a first dealer profile, to be replaced by the dealer's own. It
// offers everything but leads, which need a receiver.
func (s Starter) Profile() ([]byte, error) {
	var b strings.Builder
	b.WriteString("# A first profile, made by the deployment. Replace it with your own: that brings leads, hours, fees and more.\n")
	for _, line := range []struct{ form, value string }{
		{"id: %s\n", dealer.IDOf(s.Name)},
		{"name: %s\n", s.Name},
		{"skills: [dealer.information, inventory.facets, inventory.search, inventory.vehicle]\nrooftops:\n  - name: %s\n", s.Name},
		{"    timezone: %s\n", s.Timezone},
		{"    phones: [{value: %s}]\n", s.Phone},
	} {
		quoted, err := json.Marshal(line.value) // which YAML reads as it stands
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, line.form, quoted)
	}
	document := []byte(b.String())
	_, err := dealer.Parse(document)
	return document, err
}

// Start puts the starter's profile where none is yet. One that is there is
// never overwritten.
func (p *Publisher) Start(ctx context.Context, s Starter) error {
	document, err := s.Profile()
	if err != nil {
		return fmt.Errorf("the dealer's name, phone or time zone cannot be used: %w", err)
	}
	_, err = p.Objects.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(p.Bucket), Key: aws.String(p.ProfileKey), Body: strings.NewReader(string(document)),
		ContentType: aws.String("application/yaml"), IfNoneMatch: aws.String("*"),
	})
	if answered, ok := errors.AsType[*awshttp.ResponseError](err); ok && answered.HTTPStatusCode() == http.StatusPreconditionFailed {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write the first profile: %w", err)
	}
	return nil
}

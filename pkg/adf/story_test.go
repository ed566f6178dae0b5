package adf_test

import (
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestAChannelTakenBackIsNotOfferedToTheCRM(t *testing.T) {
	q := request()
	q.Customer.Phone, q.Customer.PreferredContact = "+14155550123", "phone"
	q.Consent.AllowedChannels = []string{"email", "phone", "sms"}
	story := []lead.Event{{ID: "a", Kind: lead.Revoked, Channels: []string{"phone", "sms"}}}
	before := render(t, record(t, q), profile(t, ""), adf.Options{})
	after := render(t, record(t, q), profile(t, ""), adf.Options{Story: story})
	if !strings.Contains(before, `<phone preferredcontact="1">`) || strings.Contains(before, "Contact by") {
		t.Errorf("before: %s", before)
	}
	if strings.Contains(after, "preferredcontact") || !strings.Contains(after, "Contact by email only.") {
		t.Errorf("after: %s", after)
	}
}

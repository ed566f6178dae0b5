package faults

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// buyers send leads to one agent and keep at it, with and without an
// idempotency key, as callers do whose answers get lost.
type buyers struct {
	storm  *storm
	ledger *ledger
	// post sends one JSON-RPC body and returns the answer's; an error is an
	// answer that never came.
	post func(body []byte) ([]byte, error)
	// granted is when the buyers gave their consent.
	granted time.Time
	// atOnce is how many there are, and tries how often one sends a lead.
	atOnce, tries int
}

// send has n leads sent, numbered from first.
func (b *buyers) send(first, n int) {
	var all sync.WaitGroup
	next := make(chan int)
	for range b.atOnce {
		all.Go(func() {
			for i := range next {
				b.lead(i)
			}
		})
	}
	for i := range n {
		next <- first + i
	}
	close(next)
	all.Wait()
}

// lead sends one lead until it is acknowledged or the buyer gives up.
func (b *buyers) lead(n int) {
	email := fmt.Sprintf("buyer-%d@example.com", n)
	body := b.request(n, email)
	b.ledger.submit(email)
	if b.storm.strikes(30) { // an impatient one sends two at once
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { b.once(email, body) })
		}
		both.Wait()
	}
	for range b.tries {
		if !b.once(email, body) {
			continue
		}
		if b.storm.strikes(15) {
			continue // the answer got lost on its way
		}
		if b.storm.strikes(15) {
			_ = b.once(email, body)
		}
		return
	}
}

// once sends a lead and reports whether it was acknowledged.
func (b *buyers) once(email string, body []byte) bool {
	answer, err := b.post(body)
	if err != nil {
		return false
	}
	id := leadID(answer)
	if id == "" {
		return false
	}
	b.ledger.acknowledge(email, id)
	return true
}

// request is a lead; every second one has a key.
func (b *buyers) request(n int, email string) []byte {
	key, visit := "", ""
	if n%2 == 0 {
		key = fmt.Sprintf(`"idempotency_key":"key-of-buyer-%d",`, n)
	}
	if n%5 == 0 {
		at := b.granted.Add(time.Duration(96+n%240) * time.Hour).Truncate(time.Hour)
		visit = fmt.Sprintf(`"appointment":{"appointment_type":"test_drive","appointment_at":%q},`, at.Format(time.RFC3339))
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-%d","role":"ROLE_USER","parts":[{"data":{
		"type":"lead.submit.request",%s%s"customer":{"first_name":"Ada","last_name":"Nº %d","email":%q,"preferred_contact":"email"},
		"consent":{"granted_at":%q,"allowed_channels":["email"],"consent_text":"I agree that the dealer writes to me.","scope":["lead_submission"]},
		"source_agent":{"name":"errand-agent"},"message":"Is number %d still there? <&>"}}]}}}`,
		n, key, visit, n, email, b.granted.Format(time.RFC3339), n)
}

// leadID is the id that an answer acknowledges, or nothing.
func leadID(answer []byte) string {
	var rpc struct {
		Result struct {
			Message struct {
				Parts []struct {
					Data struct {
						Data struct {
							LeadID string `json:"lead_id"`
						} `json:"data"`
					} `json:"data"`
				} `json:"parts"`
			} `json:"message"`
		} `json:"result"`
	}
	if json.Unmarshal(answer, &rpc) != nil || len(rpc.Result.Message.Parts) != 1 {
		return ""
	}
	return rpc.Result.Message.Parts[0].Data.Data.LeadID
}

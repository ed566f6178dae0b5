package aap

// LeadRequest is the payload of lead.submit.
type LeadRequest struct {
	Type              string       `json:"type"`
	Customer          Customer     `json:"customer"`
	Consent           Consent      `json:"consent"`
	SourceAgent       SourceAgent  `json:"source_agent"`
	VehicleOfInterest *Vehicle     `json:"vehicle_of_interest,omitempty"`
	TradeIn           *Vehicle     `json:"trade_in,omitempty"`
	Appointment       *Appointment `json:"appointment,omitempty"`
	Message           string       `json:"message,omitempty"`
	SubmittedAt       string       `json:"submitted_at,omitempty"`
	IdempotencyKey    string       `json:"idempotency_key,omitempty"`
}

// Customer is the buyer. It is personal data: it never reaches a log, a
// metric, a subject line or a queue.
type Customer struct {
	FirstName        string   `json:"first_name"`
	LastName         string   `json:"last_name"`
	Email            string   `json:"email,omitempty"`
	Phone            string   `json:"phone,omitempty"`
	PreferredContact string   `json:"preferred_contact,omitempty"`
	Address          *Address `json:"address,omitempty"`
}

// Consent is the grant the buyer gave; it is kept whole as the audit record.
// Times are RFC 3339 with an offset.
type Consent struct {
	GrantedAt       string   `json:"granted_at"`
	AllowedChannels []string `json:"allowed_channels"`
	ConsentText     string   `json:"consent_text"`
	Scope           []string `json:"scope"`
	ExpiresAt       string   `json:"expires_at,omitempty"`
}

// SourceAgent is the buyer's agent.
type SourceAgent struct {
	Name         string `json:"name"`
	URL          string `json:"url,omitempty"`
	AgentCardURL string `json:"agent_card_url,omitempty"`
}

// Appointment types.
const (
	AppointmentSales     = "sales"
	AppointmentService   = "service"
	AppointmentTestDrive = "test_drive"
	AppointmentTradeIn   = "trade_in"
)

// Appointment is a visit the buyer asks for. AppointmentAt is RFC 3339 with an
// offset; empty leaves the time to the dealer.
type Appointment struct {
	AppointmentType string `json:"appointment_type"`
	AppointmentAt   string `json:"appointment_at,omitempty"`
	DurationMinutes *Int   `json:"duration_minutes,omitempty"`
	Notes           string `json:"notes,omitempty"`
}

// Lead statuses.
const (
	LeadReceived  = "received"
	LeadDuplicate = "duplicate"
	LeadRejected  = "rejected"
)

// LeadResult is the data of a lead.submit response.
type LeadResult struct {
	LeadID      string             `json:"lead_id"`
	Status      string             `json:"status"`
	Appointment *AppointmentResult `json:"appointment,omitempty"`
	Dealer      *DealerContact     `json:"dealer,omitempty"`
}

// Appointment statuses. Only "confirmed" is a booking.
const (
	AppointmentRequested = "requested"
	AppointmentProposed  = "proposed"
	AppointmentConfirmed = "confirmed"
	AppointmentRejected  = "rejected"
)

// AppointmentResult acknowledges the appointment of a lead. ConfirmedAt is set
// exactly when Status is confirmed, ProposedTimes when it is proposed.
type AppointmentResult struct {
	AppointmentID string   `json:"appointment_id"`
	Status        string   `json:"status"`
	ConfirmedAt   string   `json:"confirmed_at,omitempty"`
	ProposedTimes []string `json:"proposed_times,omitempty"`
}

// DealerContact tells the buyer whom to call; Phone is E.164.
type DealerContact struct {
	Name  string `json:"name,omitempty"`
	Phone string `json:"phone,omitempty"`
}

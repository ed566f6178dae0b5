// Package cost holds the list prices that estimates are made of. Its tests
// measure what requests, imports and a month take, and hold infra/README.md to it.
package cost

// List prices in US dollars: us-east-1, on demand, without any free tier.
const (
	ReadUnit       = 0.125e-6
	WriteUnit      = 0.625e-6
	LambdaRequest  = 0.20e-6
	LambdaSecond   = 0.0000133334 // a GB on arm64
	RESTRequest    = 3.50e-6
	SQSRequest     = 0.40e-6
	S3Get          = 0.40e-6
	S3Put          = 5e-6
	GigabyteOut    = 0.09
	LogGigabyte    = 0.50
	AlarmMonth     = 0.10
	MetricMonth    = 0.30
	SecretMonth    = 0.40
	DashboardMonth = 3.00 // beyond the free ones of an account
	WebACLMonth    = 5.00
	WebRuleMonth   = 1.00
)

// What a stack does all month, whether or not a buyer asks.
const (
	Days         = 30
	Minutes      = Days * 24 * 60
	PollsMinute  = 15   // Lambda asks an idle queue that often
	SweepSeconds = 0.05 // of 128 MB, each minute
	// PickupSeconds, of 1 GB, is each minute's look for exports to fetch.
	PickupSeconds = 0.02
	Metrics       = 30 // of one stack with traffic
)

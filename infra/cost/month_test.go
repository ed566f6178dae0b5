package cost

// A month of a dealer, as the table in infra/README.md assumes it.
const (
	days          = 30
	searches      = 10_000 // a day, as the following
	facetRequests = 1_000
	vehicleLooks  = 2_000
	leadsTaken    = 20
	imports       = 24 // one of them with 2 % of the cars changed
	sales         = 5  // marked by hand
	starts        = 100
	instances     = 5 // warm at the same time

	agentSeconds  = 0.02 // of 1 GB, a warm request
	startSeconds  = 0.5  // of 1 GB
	workerSeconds = 0.5  // of 256 MB
	sweepSeconds  = 0.05 // of 128 MB, each minute
	importSeconds = 3.0  // of 1 GB
	logBytes      = 1_000
	alarms        = 15
	metrics       = 20
	secrets       = 2
	pollsMinute   = 15 // Lambda asks an idle queue that often
)

// List prices in US dollars: us-east-1, on demand, without any free tier.
const (
	readUnit      = 0.125e-6
	writeUnit     = 0.625e-6
	lambdaRequest = 0.20e-6
	lambdaSecond  = 0.0000133334 // a GB on arm64
	restRequest   = 3.50e-6
	sqsRequest    = 0.40e-6
	s3Get         = 0.40e-6
	s3Put         = 5e-6
	gigabyteOut   = 0.09
	logGigabyte   = 0.50
	alarmMonth    = 0.10
	metricMonth   = 0.30
	secretMonth   = 0.40
)

const minutes = days * 24 * 60

// The lines of the month's table.
var services = []string{"DynamoDB reads", "DynamoDB writes", "Lambda", "API Gateway REST", "data sent to buyers", "SQS", "S3", "CloudWatch", "Secrets Manager", "total"}

// month is what each service costs in a month.
func month(c consumption) map[string]float64 {
	u := c.units
	reads := days * (searches*u[searchWarm].Reads + facetRequests*u[facetsWarm].Reads + vehicleLooks*u[vehicleWarm].Reads +
		leadsTaken*(u[leadTaken].Reads+u[leadHanded].Reads) +
		(imports-1)*u[importSame].Reads + u[importSome].Reads + sales*u[carSold].Reads +
		(starts+instances)*u[searchCold].Reads + instances*sales*u[searchAfter].Reads)
	reads += minutes * u[leadSwept].Reads
	writes := days * (leadsTaken*(u[leadTaken].Writes+u[leadHanded].Writes) +
		(imports-1)*u[importSame].Writes + u[importSome].Writes + sales*u[carSold].Writes)
	requests := float64(days * (searches + facetRequests + vehicleLooks + leadsTaken))
	out := map[string]float64{
		"DynamoDB reads":  reads * readUnit,
		"DynamoDB writes": writes * writeUnit,
		"Lambda": (requests+days*(leadsTaken+imports)+minutes)*lambdaRequest +
			(requests*agentSeconds+days*(starts*startSeconds+leadsTaken*workerSeconds/4+imports*importSeconds)+minutes*sweepSeconds/8)*lambdaSecond,
		"API Gateway REST":    requests * restRequest,
		"data sent to buyers": requests * float64(c.searchBytes) / 1e9 * gigabyteOut,
		"SQS":                 (days*leadsTaken*3 + pollsMinute*minutes) * sqsRequest,
		"S3":                  ((instances+1)*minutes+days*imports)*s3Get + days*imports*3*s3Put,
		"CloudWatch":          requests*logBytes/1e9*logGigabyte + alarms*alarmMonth + metrics*metricMonth,
		"Secrets Manager":     secrets * secretMonth,
	}
	total := 0.0
	for _, dollars := range out {
		total += dollars
	}
	out["total"] = total
	return out
}

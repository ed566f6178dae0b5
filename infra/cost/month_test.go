package cost

// A month of a dealer, as the table in infra/README.md assumes it.
const (
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
	importSeconds = 3.0  // of 1 GB
	logBytes      = 1_000
	alarms        = 25
	secrets       = 2
)

// The lines of the month's table.
var services = []string{"DynamoDB reads", "DynamoDB writes", "Lambda", "API Gateway REST", "data sent to buyers", "SQS", "S3", "CloudWatch", "Secrets Manager", "total"}

// month is what each service costs in a month.
func month(c consumption) map[string]float64 {
	u := c.units
	reads := Days * (searches*u[searchWarm].Reads + facetRequests*u[facetsWarm].Reads + vehicleLooks*u[vehicleWarm].Reads +
		leadsTaken*(u[leadTaken].Reads+u[leadHanded].Reads) +
		(imports-1)*u[importSame].Reads + u[importSome].Reads + sales*u[carSold].Reads +
		(starts+instances)*u[searchCold].Reads + instances*sales*u[searchAfter].Reads)
	reads += Minutes * u[leadSwept].Reads
	writes := Days * (leadsTaken*(u[leadTaken].Writes+u[leadHanded].Writes) +
		(imports-1)*u[importSame].Writes + u[importSome].Writes + sales*u[carSold].Writes)
	requests := float64(Days * (searches + facetRequests + vehicleLooks + leadsTaken))
	out := map[string]float64{
		"DynamoDB reads":  reads * ReadUnit,
		"DynamoDB writes": writes * WriteUnit,
		"Lambda": (requests+Days*(leadsTaken+imports)+2*Minutes)*LambdaRequest +
			(requests*agentSeconds+Days*(starts*startSeconds+leadsTaken*workerSeconds/4+imports*importSeconds)+Minutes*(SweepSeconds/8+PickupSeconds))*LambdaSecond,
		"API Gateway REST":    requests * RESTRequest,
		"data sent to buyers": requests * float64(c.searchBytes) / 1e9 * GigabyteOut,
		"SQS":                 (Days*leadsTaken*3 + PollsMinute*Minutes) * SQSRequest,
		"S3":                  ((instances+2)*Minutes+Days*imports)*S3Get + Days*imports*3*S3Put,
		"CloudWatch":          requests*logBytes/1e9*LogGigabyte + alarms*AlarmMonth + Metrics*MetricMonth,
		"Secrets Manager":     secrets * SecretMonth,
	}
	total := 0.0
	for _, dollars := range out {
		total += dollars
	}
	out["total"] = total
	return out
}

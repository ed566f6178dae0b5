package stack

// check finds faults in a template.
type check struct {
	name string
	find func(template) faults
	// translated: the check also holds for the CloudFormation that SAM makes.
	translated bool
}

// checks are all rules of the template.
var checks = []check{
	{"functions", checkFunctions, false},
	{"environment", checkEnvironment, true},
	{"api", checkAPI, true},
	{"refusals", checkRefusals, true},
	{"door", checkDoor, true},
	{"rate rule", checkRateRule, true},
	{"roles", checkRoles, true},
	{"permissions", checkPermissions, true},
	{"resource policies", checkResourcePolicies, true},
	{"tables", checkTables, true},
	{"queues", checkQueues, true},
	{"buckets", checkBuckets, true},
	{"events", checkEvents, false},
	{"logs", checkLogs, true},
	{"alarms", checkAlarms, true},
	{"tracing", checkTracing, true},
	{"access log", checkAccessLog, true},
	{"dashboard", checkDashboard, true},
	{"parameters", checkParameters, false},
	{"outputs", checkOutputs, false},
}

func checkNamed(name string) (check, bool) {
	for _, c := range checks {
		if c.name == name {
			return c, true
		}
	}
	return check{}, false
}

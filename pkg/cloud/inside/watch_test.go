package inside_test

import (
	"net/http"
	"time"

	"github.com/aws/smithy-go/encoding/cbor"
)

// watch stands for CloudWatch, whose client speaks CBOR (Smithy RPC v2), which
// the emulator does not. It answers the two operations that are asked for as
// CloudWatch's API reference has them.
type watch struct {
	// alarms are states by name; points what was told, by the dimension's value.
	alarms map[string]alarm
	points map[string][]point
}

type alarm struct {
	state string
	acts  bool
}

type point struct {
	value float64
	at    time.Time
}

func (w *watch) serve(out http.ResponseWriter, action string, body []byte) {
	request, err := cbor.Decode(body)
	in, ok := request.(cbor.Map)
	if err != nil || !ok {
		out.WriteHeader(http.StatusBadRequest)
		return
	}
	answer := cbor.Map{}
	switch action {
	case "cloudwatch:DescribeAlarms":
		list := cbor.List{}
		for _, name := range in["AlarmNames"].(cbor.List) {
			if a, ok := w.alarms[string(name.(cbor.String))]; ok {
				list = append(list, cbor.Map{
					"AlarmName": name, "AlarmDescription": "What " + name.(cbor.String) + " means.", "StateValue": cbor.String(a.state),
					"ActionsEnabled": cbor.Bool(a.acts), "AlarmActions": cbor.List{cbor.String("arn:aws:sns:us-east-1:123456789012:alarms")},
				})
			}
		}
		answer["MetricAlarms"] = list
	case "cloudwatch:GetMetricStatistics":
		dimension := in["Dimensions"].(cbor.List)[0].(cbor.Map)["Value"].(cbor.String)
		list := cbor.List{}
		for _, p := range w.points[string(in["MetricName"].(cbor.String)+" "+dimension)] {
			if !p.at.Before(moment(in["StartTime"])) && p.at.Before(moment(in["EndTime"])) {
				list = append(list, cbor.Map{"Maximum": cbor.Float64(p.value), "Unit": cbor.String("Seconds")})
			}
		}
		answer["Datapoints"] = list
	}
	out.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
	out.Header().Set("Content-Type", "application/cbor")
	_, _ = out.Write(cbor.Encode(answer))
}

// moment is a time as CBOR has it: a tag on seconds since 1970.
func moment(v cbor.Value) time.Time {
	switch seconds := v.(*cbor.Tag).Value.(type) {
	case cbor.Float64:
		return time.UnixMilli(int64(float64(seconds) * 1000))
	case cbor.Uint:
		return time.Unix(int64(seconds), 0)
	}
	return time.Time{}
}

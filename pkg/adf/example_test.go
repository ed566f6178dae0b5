package adf_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func ExampleRender() {
	p := &dealer.Profile{
		ID: "harbor", Name: "Harbor Autos",
		Rooftops: []dealer.Rooftop{{Name: "Harbor Autos", Phones: []dealer.Contact{{Value: "+12065550100"}}}},
		ADF:      dealer.ADF{Names: "full"},
	}
	r := lead.Record{
		ID: "7f3c", DealerID: "harbor", ReceivedAt: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC),
		Request: json.RawMessage(`{
			"type": "lead.submit.request",
			"customer": {"first_name": "Kim", "last_name": "Nguyen", "email": "kim@example.com"},
			"consent": {"granted_at": "2026-05-01T11:59:00Z", "allowed_channels": ["email"], "consent_text": "Yes.", "scope": ["lead_submission"]},
			"vehicle_of_interest": {"year": 2021, "make": "Mazda", "model": "3", "condition": "used"},
			"message": "Is it there?",
			"source_agent": {"name": "shopper"}
		}`),
	}
	document, err := adf.Render(r, p, adf.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(document))
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <?adf version="1.0"?>
	// <adf>
	//   <prospect status="new">
	//     <id sequence="1" source="Harbor Autos">7f3c</id>
	//     <requestdate>2026-05-01T12:00:00+00:00</requestdate>
	//     <vehicle interest="buy" status="used">
	//       <year>2021</year>
	//       <make>Mazda</make>
	//       <model>3</model>
	//     </vehicle>
	//     <customer>
	//       <contact>
	//         <name part="full">Kim Nguyen</name>
	//         <email>kim@example.com</email>
	//       </contact>
	//       <comments>Is it there?</comments>
	//     </customer>
	//     <vendor>
	//       <vendorname>Harbor Autos</vendorname>
	//       <contact>
	//         <name part="full" type="business">Harbor Autos</name>
	//         <phone>+12065550100</phone>
	//       </contact>
	//     </vendor>
	//     <provider>
	//       <name part="full">shopper</name>
	//     </provider>
	//   </prospect>
	// </adf>
}

// BenchmarkRender's budget is 20 µs for a lead with vehicle, trade-in and visit.
func BenchmarkRender(b *testing.B) {
	req := request()
	req.Customer.Phone, req.Customer.Address = "+14155550123", &aap.Address{City: "San Francisco", State: "CA", Zip: "94105"}
	req.VehicleOfInterest = &aap.Vehicle{VIN: "1HGCV1F30KA000001", Year: number(2022), Make: "Honda", Model: "Civic", Trim: "EX", Condition: "cpo"}
	req.TradeIn = &aap.Vehicle{Year: number(2014), Make: "Toyota", Model: "Corolla", Condition: "good", Mileage: number(96000)}
	req.Appointment = &aap.Appointment{AppointmentType: "test_drive", AppointmentAt: "2026-05-03T18:00:00Z"}
	req.Message = strings.Repeat("Could you confirm that it is still there? ", 4)
	r, p := record(b, req), profile(b, "")
	r.Listing = civic()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := adf.Render(r, p, adf.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

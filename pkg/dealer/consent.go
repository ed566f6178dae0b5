package dealer

import "fmt"

// ConsentText is what a buyer of the named dealer agrees to where the dealer
// has no text of their own. A channel is ticked beside it; the text names none,
// so that it stays true whichever is.
func ConsentText(name string) string {
	return fmt.Sprintf("I ask %[1]s to contact me about this request through the channels I choose, and agree that the details of this request "+
		"are sent to %[1]s for that purpose. I need not agree to buy anything. Message and data rates may apply to text messages.", name)
}

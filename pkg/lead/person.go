package lead

import (
	"encoding/json"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Person names a buyer by e-mail, phone or both. A lead that has either is theirs.
type Person struct {
	Email string
	// Phone may be spelt in any way; its digits count. Without a country code
	// ten digits are a North American number.
	Phone string
}

// Named reports whether there is anything to find a lead by.
func (p Person) Named() bool { return foldMail(p.Email) != "" || len(digits(p.Phone)) > 0 }

// Sent reports whether the lead is of this person. E-mail is compared as it is
// between equal leads.
func (p Person) Sent(r Record) (bool, error) {
	request, err := r.Lead()
	who := request.Customer
	if err != nil {
		// What does not read as a lead may still name its buyer.
		var raw struct {
			Customer aap.Customer `json:"customer"`
		}
		if json.Unmarshal(r.Request, &raw) != nil {
			return false, err
		}
		who = raw.Customer
	}
	if mail := foldMail(p.Email); mail != "" && mail == foldMail(who.Email) {
		return true, nil
	}
	given := digits(p.Phone)
	return given != "" && given == digits(who.Phone), nil
}

// foldMail is an address as equal leads are compared.
func foldMail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// digits is the number in international form without the plus.
func digits(phone string) string {
	var b strings.Builder
	for _, r := range phone {
		if r >= '0' && r <= '9' {
			b.WriteRune(r)
		}
	}
	number := b.String()
	switch international := strings.HasPrefix(strings.TrimSpace(phone), "+"); {
	case international:
		// +44 (0)20 …: the zero in brackets is not dialled from abroad.
		if strings.Contains(phone, "(0)") {
			number = strings.Replace(number, "0", "", 1)
		}
		return number
	case strings.HasPrefix(number, "011"):
		return number[3:]
	case strings.HasPrefix(number, "00"):
		return number[2:]
	case len(number) == 10:
		return "1" + number
	}
	return number
}

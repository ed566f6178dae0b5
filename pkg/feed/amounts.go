package feed

import (
	"encoding/json"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// money fills price, list price, MSRP and fees. The profile says what the
// price column holds; nothing is added up without it.
func (b *builder) money() {
	l := &b.v.Listing
	l.MSRP = b.amount(mMSRP)
	own := b.amount(mListPrice)
	prices := b.profile.Prices
	fees := b.fees()
	if len(fees) > 0 && prices.Includes == dealer.PricesWithoutFees {
		prices.AddFees = fees // a unit's own list replaces the general one
	}
	if selling := b.amount(mPrice); selling != nil {
		var declared []aap.Fee
		l.Price, l.ListPrice, declared = prices.Publish(int64(*selling))
		l.Fees = declared
	}
	if len(fees) > 0 && l.Fees == nil {
		for _, f := range fees {
			l.Fees = append(l.Fees, aap.Fee{Name: f.Name, Amount: aap.Int(f.Amount)})
		}
	}
	if own != nil && (l.ListPrice == nil || l.Price != nil) {
		l.ListPrice = own
	}
	b.check(l)
}

// check reports numbers that do not fit together; they are shown as they are.
func (b *builder) check(l *aap.Vehicle) {
	if l.Price == nil || len(l.Fees) == 0 {
		return
	}
	var sum aap.Int
	for _, f := range l.Fees {
		sum += f.Amount
	}
	switch {
	case sum > *l.Price:
		b.warn("fees larger than the price that holds them; fees left out")
		l.Fees = nil
	case l.ListPrice != nil && *l.ListPrice+sum != *l.Price:
		b.warn("list price and fees do not add up to the price (allowed)")
	}
}

// amount reads one money member in whole US dollars; nil when there is none to show.
func (b *builder) amount(m member) *aap.Int {
	s := b.cell(m)
	if s == "" {
		return nil
	}
	a := parseMoney(s)
	if a.problem != "" {
		b.warn(m.String() + ": " + a.problem + "; left out")
		return nil
	}
	if a.dollars == 0 {
		return nil
	}
	if code := b.foreign(a.currency); code != "" {
		b.warn(m.String() + " in " + safe(code) + "; only US dollars are shown")
		return nil
	}
	if a.dollars < minAmount || a.dollars > maxAmount {
		b.warn(m.String() + ": " + smallAmount + "; left out")
		return nil
	}
	return number(a.dollars)
}

// foreign is the currency of an amount that is not in US dollars: the cell's
// own, else that of any column of currencies, else the profile's.
func (b *builder) foreign(own string) string {
	said := []string{own}
	if own == "" {
		for _, column := range b.m.by[mCurrency] {
			if column < len(b.rec.fields) {
				said = append(said, strings.ToUpper(b.lines[mCurrency].line(b.rec.fields[column])))
			}
		}
		said = append(said, strings.ToUpper(b.profile.Feed.Constants[mCurrency.String()]))
		if strings.Join(said, "") == "" {
			said = append(said, strings.ToUpper(b.profile.Prices.Currency))
		}
	}
	for _, code := range said {
		if code != "" && code != "USD" && code != "US$" && code != "$" {
			return code
		}
	}
	return ""
}

// fees reads the unit's own mandatory charges: "Name: amount" parted by pipes or
// semicolons, a JSON list of name and amount, or a column of one fee. A list with
// one unreadable part is no complete list and is left out.
func (b *builder) fees() []dealer.Fee {
	s := strings.TrimSpace(b.cell(mFees))
	var out []dealer.Fee
	ok := true
	switch {
	case strings.HasPrefix(s, "["):
		var list []struct {
			Name   string      `json:"name"`
			Amount json.Number `json:"amount"`
		}
		ok = json.Unmarshal([]byte(s), &list) == nil
		for _, f := range list {
			out, ok = addFee(out, f.Name, f.Amount.String(), ok)
		}
	case s != "":
		for part := range strings.FieldsFuncSeq(s, func(c rune) bool { return c == '|' || c == ';' || c == listMark || c == '\n' }) {
			name, value, found := strings.Cut(part, ":")
			if !found {
				name, value, found = strings.Cut(part, "=")
			}
			out, ok = addFee(out, name, value, ok && found)
		}
	}
	if doc := b.cell(mDocFee); doc != "" {
		if n, plain := feeAmount(doc); !plain || n > 0 {
			out, ok = addFee(out, "Documentation fee", doc, ok)
		}
	}
	if !ok {
		b.warn("fees that cannot be read as name and whole US dollars; left out")
		return nil
	}
	return out
}

func addFee(fees []dealer.Fee, name, value string, ok bool) ([]dealer.Fee, bool) {
	name = line1(name)
	n, read := feeAmount(value)
	if !ok || !read || name == "" || len(name) > 120 || len(fees) >= 50 {
		return fees, false
	}
	for _, f := range fees {
		if strings.EqualFold(f.Name, name) {
			return fees, false
		}
	}
	return append(fees, dealer.Fee{Name: name, Amount: n}), true
}

// feeAmount reads a fee; unlike prices of vehicles it may be small.
func feeAmount(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "-") {
		return 0, false
	}
	num, words, ok := cutNumber(s)
	if !ok {
		return 0, false
	}
	for _, w := range words {
		if w = strings.ToUpper(w); w != "$" && w != "USD" && w != "US$" {
			return 0, false
		}
	}
	whole, cents, ok := readNumber(num, 2)
	if cents > 0 {
		whole++
	}
	return whole, ok && whole <= maxAmount
}

package feed

import (
	"slices"
	"strings"
)

// generic are names that say nothing without what stands before them in a path.
var generic = []string{
	"id", "number", "type", "class", "category", "url", "link", "style", "image", "images", "photo", "photos", "description",
	"comments", "lot", "sku", "color", "status", "availability", "condition", "series", "used", "sold", "options", "location", "store",
}

// spellingOf looks a header up; of a path the last name counts when the whole
// is unknown, after every column that is known whole.
func spellingOf(header, folded string) (spelling, bool) {
	if sp, ok := spellings()[folded]; ok {
		return sp, true
	}
	if sp, ok := spellingTwice(header); ok {
		return sp, true
	}
	if bare, prefix := withoutPrefixes(header); prefix != "" {
		sp, ok := spellingOf(bare, foldHeader(bare))
		// In RSS and Atom, Google's own members say it better than the plain ones.
		if prefix == "g" {
			sp.rank -= 500
		} else {
			sp.rank += 500
		}
		return sp, ok
	}
	dot := strings.LastIndexByte(header, '.')
	if dot < 0 {
		return spellingInside(folded)
	}
	if anotherVehicle(header[:dot]) {
		return spelling{}, false
	}
	last := foldHeader(header[dot+1:])
	sp, ok := spellings()[last]
	sp.rank += 1000
	if ok = ok && !slices.Contains(generic, last); !ok {
		return spellingOfPair(header, dot)
	}
	if sp.member == mPrice || sp.member == mListPrice || sp.member == mMSRP {
		ok = ok && everyBuyers(header[:dot])
	}
	return sp, ok
}

// spellingOfPair looks up the last two names of a path together, as in
// vehicle.make.name, where what stands before them is about the vehicle for
// sale. A last name that only says that a value follows is passed over.
func spellingOfPair(header string, dot int) (spelling, bool) {
	before := strings.LastIndexByte(header[:dot], '.')
	if before >= 0 && everyBuyers(header[:before]) {
		if sp, ok := spellings()[foldHeader(header[before+1:])]; ok {
			sp.rank += 2000
			return sp, true
		}
	}
	// price.selling, pricing.internet: the same two names the other way round.
	if parent := foldHeader(header[before+1 : dot]); slices.Contains([]string{"price", "prices", "pricing"}, parent) {
		sp, ok := spellings()[foldHeader(header[dot+1:])+"price"]
		sp.rank += 2000
		return sp, ok && (before < 0 || everyBuyers(header[:before]))
	}
	switch foldHeader(header[dot+1:]) {
	case "name", "value", "label", "text":
		sp, ok := spellingOf(header[:dot], foldHeader(header[:dot]))
		sp.rank += 2000
		return sp, ok && !slices.Contains(generic, foldHeader(header[:dot]))
	}
	return spelling{}, false
}

// spellingInside looks a header up that says more than a known one: the
// currency of a price (Price USD), where only US dollars are shown to buyers,
// or the number of a photo (Photo 1, Image2URL).
func spellingInside(folded string) (spelling, bool) {
	for _, bare := range []string{strings.TrimSuffix(folded, "usd"), strings.TrimPrefix(folded, "usd")} {
		if sp, ok := spellings()[bare]; ok && bare != folded && (sp.member == mPrice || sp.member == mListPrice || sp.member == mMSRP) {
			return sp, true
		}
	}
	numbered := strings.TrimSuffix(strings.TrimSuffix(folded, "url"), "link")
	bare := strings.TrimRight(numbered, "0123456789")
	digits := len(numbered) - len(bare)
	sp, ok := spellings()[bare]
	return sp, ok && sp.member == mPhotos && (digits == 1 || digits == 2)
}

// spellingTwice reads a header in two languages, such as Marque / Make: both
// parts are known, and as the same.
func spellingTwice(header string) (spelling, bool) {
	one, other, ok := strings.Cut(strings.TrimSuffix(header, ")"), "/")
	if !ok {
		one, other, ok = strings.Cut(strings.TrimSuffix(header, ")"), "(")
	}
	if !ok {
		return spelling{}, false
	}
	first, known := spellings()[foldHeader(one)]
	second, too := spellings()[foldHeader(other)]
	return second, known && too && first.member == second.member
}

// withoutPrefixes takes the namespace prefixes off the names of an XML path.
func withoutPrefixes(path string) (bare, last string) {
	if strings.IndexByte(path, ':') < 0 {
		return path, ""
	}
	names := strings.Split(path, ".")
	for i, name := range names {
		prefix, local, ok := strings.Cut(name, ":")
		if !ok || prefix == "" || local == "" || strings.ContainsAny(prefix+local, " :") {
			continue
		}
		names[i], last = local, prefix
	}
	return strings.Join(names, "."), last
}

// anotherVehicle reports whether a path leads to a vehicle that is not the one
// for sale, such as trade_in.mileage.
func anotherVehicle(path string) bool {
	return slices.ContainsFunc(headerWords(path), func(w string) bool {
		switch w {
		case "trade", "tradein", "tradeins", "trades", "previous", "replacement", "related", "similar", "comparable", "comparables":
			return true
		}
		return false
	})
}

// sellingWords are what a price may stand in and still be the one every buyer
// is asked.
var sellingWords = []string{
	"vehicle", "vehicles", "car", "cars", "unit", "units", "item", "items", "product", "listing", "listings", "inventory", "stock",
	"record", "entry", "row", "source", "data", "detail", "details", "info", "information", "attributes", "fields", "properties", "specs",
	"general", "basic", "summary", "core", "main", "vdp", "ad", "advert", "price", "pricing", "offer", "offers", "amount", "value",
	"build", "media", "gallery", "selling", "retail", "internet", "asking", "advertised", "web", "list", "current", "final", "msrp", "usd",
}

// everyBuyers reports whether a path leads to prices for everybody. One inside
// anything else, such as lease.price or internal.price, is used only when the
// profile names it (AAP v1.3 pricing-and-ftc).
func everyBuyers(path string) bool {
	return !slices.ContainsFunc(headerWords(path), func(w string) bool { return !slices.Contains(sellingWords, w) })
}

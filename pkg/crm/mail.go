package crm

import (
	"bytes"
	"mime"
	"mime/quotedprintable"
	"strings"
	"time"
	"unicode"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// message is the whole mail: a text/plain body that holds the XML and nothing
// else. Quoted-printable keeps every line short and decodes to the document's
// own bytes; each line of XML stands on its own line of the mail.
func message(t dealer.Target, d Document) ([]byte, error) {
	var b bytes.Buffer
	header := func(name, value string) {
		b.WriteString(name + ": " + value + "\r\n")
	}
	header("From", oneLine(t.From))
	to := make([]string, len(t.To))
	for i, address := range t.To {
		to[i] = oneLine(address)
	}
	header("To", strings.Join(to, ",\r\n "))
	header("Subject", subject(t, d))
	header("Date", d.At.Format(time.RFC1123Z))
	header("Message-ID", "<"+oneLine(d.LeadID)+"@"+domain(t.From)+">")
	header("MIME-Version", "1.0")
	header("Content-Type", "text/plain; charset=utf-8")
	header("Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	for line := range bytes.Lines(d.Body) {
		w := quotedprintable.NewWriter(&b)
		w.Binary = true
		if _, err := w.Write(line); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		b.WriteString("=\r\n")
	}
	return b.Bytes(), nil
}

// subject fills the profile's wording; nothing of the buyer is in it.
func subject(t dealer.Target, d Document) string {
	text := t.Subject
	if text == "" {
		text = "ADF lead for {rooftop}"
	}
	text = strings.NewReplacer("{rooftop}", d.Rooftop, "{lead_id}", d.LeadID).Replace(text)
	encoded := mime.QEncoding.Encode("utf-8", oneLine(text))
	return strings.ReplaceAll(encoded, "?= =?", "?=\r\n =?")
}

// oneLine makes text safe for a header.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

// domain is the part of an address after the last @.
func domain(address string) string {
	if at := strings.LastIndexByte(address, '@'); at >= 0 && at+1 < len(address) {
		return strings.TrimRight(oneLine(address[at+1:]), "> ")
	}
	return "localhost"
}

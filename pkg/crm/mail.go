package crm

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"strings"
	"time"
	"unicode"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Mail is the whole message for a target of type smtp or ses: ASCII with CRLF
// and short lines, so it needs nothing of a server. In mode body it is a
// text/plain mail that holds the XML and nothing else; in mode attachment the
// XML is the one attachment, <lead_id>.xml. Either way it decodes to the
// document's own bytes. Equal documents give equal messages.
func Mail(t dealer.Target, d Document) ([]byte, error) {
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
	header("Message-ID", fmt.Sprintf("<%s.%d@%s>", oneLine(d.LeadID), d.Attempt, domain(t.From)))
	header("MIME-Version", "1.0")
	if t.Mode == "attachment" {
		attach(&b, d)
		return b.Bytes(), nil
	}
	header("Content-Type", "text/plain; charset=utf-8")
	header("Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	// Each line of XML stands on its own line of the mail.
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

// attach writes the rest of a mail whose attachment is the document.
func attach(b *bytes.Buffer, d Document) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s.%d", d.LeadID, d.Attempt))
	// Base64 has no "_", so no line of it can be the boundary.
	boundary := fmt.Sprintf("=_%x", sum[:12])
	name := oneLine(d.LeadID) + ".xml"
	part := func(kind, encoding, more string) {
		fmt.Fprintf(b, "\r\n--%s\r\nContent-Type: %s\r\nContent-Transfer-Encoding: %s\r\n%s\r\n", boundary, kind, encoding, more)
	}
	fmt.Fprintf(b, "Content-Type: multipart/mixed; boundary=%q\r\n", boundary)
	part("text/plain; charset=us-ascii", "7bit", "")
	b.WriteString("The lead is attached as ADF/XML.\r\n")
	part(fmt.Sprintf("application/xml; charset=utf-8; name=%q", name), "base64", fmt.Sprintf("Content-Disposition: attachment; filename=%q\r\n", name))
	const line = 57 // bytes that make 76 characters
	for rest := d.Body; len(rest) > 0; {
		n := min(line, len(rest))
		b.WriteString(base64.StdEncoding.EncodeToString(rest[:n]) + "\r\n")
		rest = rest[n:]
	}
	fmt.Fprintf(b, "\r\n--%s--\r\n", boundary)
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

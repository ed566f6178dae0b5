package crm_test

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// opened is what a mail program makes of a mail: the one document in it.
func opened(t *testing.T, raw []byte) (document string, attachment string) {
	t.Helper()
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if kind == "text/plain" {
		body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
		if err != nil {
			t.Fatal(err)
		}
		return string(body), ""
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return document, attachment
		}
		if err != nil {
			t.Fatal(err)
		}
		if part.FileName() == "" {
			continue
		}
		if attachment != "" {
			t.Error("more than one attachment")
		}
		attachment = part.FileName()
		if kind, params, _ := mime.ParseMediaType(part.Header.Get("Content-Type")); kind != "application/xml" || params["charset"] != "utf-8" {
			t.Errorf("the attachment is %s %v", kind, params)
		}
		body, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, part))
		if err != nil {
			t.Fatal(err)
		}
		document = string(body)
	}
}

// hostile are messages that mail has trouble with.
var hostile = map[string]string{
	"a line of 4,000 characters":  strings.Repeat("x", 4000),
	"4,000 characters beyond us":  strings.Repeat("é", 4000),
	"lines that are a full stop":  "one\n.\n..\n.two\r\nthree",
	"From at the start of a line": "From the beginning\nFrom here on",
	"blanks at the end of a line": "here  \nthere\t\n ",
	"equals signs":                "a=b=3D=\n=",
	"no text at all":              "",
	"other planes":                "🚗 车 سيارة \u202eright to left",
}

func TestTheMailDecodesToTheDocumentByteByByte(t *testing.T) {
	for _, mode := range []string{"body", "attachment"} {
		for name, text := range hostile {
			t.Run(mode+"/"+name, func(t *testing.T) {
				p := newPostOffice(t, false)
				b := p.bench(t, func(t *dealer.Target) { t.Mode = mode })
				r := b.submit(t, "L-1", func(r *aap.LeadRequest, _ *lead.Record) { r.Message = text })
				if err := b.handle(t, "L-1"); err != nil {
					t.Fatal(err)
				}
				raw := p.mails[0]
				got, file := opened(t, raw)
				if diff := cmp.Diff(b.rendered(t, r, adf.Options{}), got); diff != "" {
					t.Error(diff)
				}
				if want := map[string]string{"body": "", "attachment": "L-1.xml"}[mode]; file != want {
					t.Errorf("attached as %q, want %q", file, want)
				}
				for line := range bytes.Lines(raw) {
					if len(line) > 80 || !bytes.HasSuffix(line, []byte("\r\n")) || bytes.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
						t.Errorf("a server that knows 7 bits and short lines only would spoil %q", line)
					}
				}
			})
		}
	}
}

func TestEqualDocumentsGiveEqualMailsAndEachAttemptItsOwnID(t *testing.T) {
	target := dealer.Target{Type: dealer.TargetSMTP, From: "agent@lakeside.example", To: []string{"leads@crm.example"}}
	for _, mode := range []string{"body", "attachment"} {
		target.Mode = mode
		d := crm.Document{LeadID: "L-1", Rooftop: "North", Body: []byte("<adf/>\n"), At: start, Attempt: 2}
		first, err := crm.Mail(target, d)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := crm.Mail(target, d); !bytes.Equal(first, again) {
			t.Errorf("%s: two mails of one document differ", mode)
		}
		if !bytes.Contains(first, []byte("Message-ID: <L-1.2@lakeside.example>\r\n")) {
			t.Errorf("%s: %s", mode, first)
		}
	}
}

func TestTheSubjectHoldsTheStoreAndNothingOfTheBuyer(t *testing.T) {
	p := newPostOffice(t, false)
	b := p.bench(t, func(t *dealer.Target) { t.Mode = "attachment" })
	b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	head, _, _ := bytes.Cut(p.mails[0], []byte("\r\n\r\n"))
	if !bytes.Contains(head, []byte("Subject: ADF lead for North\r\n")) {
		t.Errorf("head %s", head)
	}
	for _, personal := range []string{"Wilhelmina", "wilhelmina", "4155550123", "Folsom"} {
		if bytes.Contains(head, []byte(personal)) {
			t.Errorf("%s is in the head of the mail", personal)
		}
	}
}

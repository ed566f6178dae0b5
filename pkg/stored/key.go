package stored

import (
	"encoding/json"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// keyForm is lead.Key with an answer whose data JSON does not touch.
type keyForm struct {
	lead.Key
	Answer *answerForm `json:",omitempty"`
}

type answerForm struct {
	Data    []byte
	Message string `json:",omitempty"`
}

// AppendKey writes an idempotency key as JSON text at the end of dst. The data
// of its answer come back byte for byte: a replay must not differ.
func AppendKey(dst []byte, k lead.Key) ([]byte, error) {
	form := keyForm{Key: k}
	if k.Answer != nil {
		form.Answer = &answerForm{k.Answer.Data, k.Answer.Message}
	}
	body, err := json.Marshal(form)
	return append(dst, body...), err
}

// Key decodes what AppendKey wrote.
func Key(src []byte) (lead.Key, error) {
	var form keyForm
	if json.Unmarshal(src, &form) != nil || form.Value == "" {
		return lead.Key{}, ErrFormat
	}
	k := form.Key
	if form.Answer != nil {
		k.Answer = &lead.Answer{Data: form.Answer.Data, Message: form.Answer.Message}
	}
	return k, nil
}

package inventory

import "github.com/dealer-agent/dealer/pkg/aap"

func appendListing(dst []byte, row aap.Vehicle) ([]byte, error) {
	b, err := row.MarshalJSON()
	return append(dst, b...), err
}

package cloud

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/klauspost/compress/zstd"
)

// The attributes of both tables. Expressions reach them through names alone,
// since many plain words are reserved.
const (
	attrPK      = "pk"
	attrSK      = "sk"
	attrDoc     = "doc"     // the content
	attrExpires = "expires" // time to live, seconds
	attrUntil   = "until"   // the same end to the nanosecond
	attrLead    = "lead_id"
	attrVersion = "version"
)

var errUnfinished = errors.New("DynamoDB kept leaving work undone; try again later")

type item = map[string]types.AttributeValue

// table is one DynamoDB table with what both stores do to it.
type table struct {
	client *dynamodb.Client
	name   string
	codec  func() (*codec, error)
}

func newTable(client *dynamodb.Client, name string) table {
	return table{client, name, sync.OnceValues(newCodec)}
}

func key(pk, sk string) item { return item{attrPK: str(pk), attrSK: str(sk)} }

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func num(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func bin(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

func getStr(i item, name string) string {
	if v, ok := i[name].(*types.AttributeValueMemberS); ok {
		return v.Value
	}
	return ""
}

func getNum(i item, name string) int64 {
	if v, ok := i[name].(*types.AttributeValueMemberN); ok {
		n, _ := strconv.ParseInt(v.Value, 10, 64)
		return n
	}
	return 0
}

func getBin(i item, name string) []byte {
	if v, ok := i[name].(*types.AttributeValueMemberB); ok {
		return v.Value
	}
	return nil
}

func getSet(i item, name string) []string {
	if v, ok := i[name].(*types.AttributeValueMemberSS); ok {
		return slices.Sorted(slices.Values(v.Value))
	}
	return nil
}

func contains(i item, name, value string) bool { return slices.Contains(getSet(i, name), value) }

// get returns the item, or nil when there is none.
func (t table) get(ctx context.Context, pk, sk string) (item, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(t.name), Key: key(pk, sk), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, err
	}
	return out.Item, nil
}

// getAll returns the items that exist among keys by pk and sk, in one or more
// requests of at most perGet keys. Keys must differ.
func (t table) getAll(ctx context.Context, keys []item) (map[[2]string]item, error) {
	const perGet = 40 // of the largest items, within one answer's 16 MB
	found := make(map[[2]string]item, len(keys))
	for len(keys) > 0 {
		n := min(len(keys), perGet)
		ask := map[string]types.KeysAndAttributes{t.name: {Keys: keys[:n], ConsistentRead: aws.Bool(true)}}
		keys = keys[n:]
		for try := 0; len(ask) > 0; try++ {
			if err := pause(ctx, try); err != nil {
				return nil, err
			}
			out, err := t.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: ask})
			if err != nil {
				return nil, err
			}
			for _, i := range out.Responses[t.name] {
				found[[2]string{getStr(i, attrPK), getStr(i, attrSK)}] = i
			}
			ask = out.UnprocessedKeys
		}
	}
	return found, nil
}

// writeAll carries out puts and deletes in requests of 25. They are not atomic.
func (t table) writeAll(ctx context.Context, writes []types.WriteRequest) error {
	const perWrite = 25
	for len(writes) > 0 {
		n := min(len(writes), perWrite)
		ask := map[string][]types.WriteRequest{t.name: writes[:n]}
		writes = writes[n:]
		for try := 0; len(ask) > 0; try++ {
			if err := pause(ctx, try); err != nil {
				return err
			}
			out, err := t.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: ask})
			if err != nil {
				return err
			}
			ask = out.UnprocessedItems
		}
	}
	return nil
}

// query calls each for every item of the partition in key order, or backwards,
// until it returns false. Only items whose sort key is below the limit come,
// when it is not empty.
func (t table) query(ctx context.Context, pk, below string, backwards bool, each func(item) bool) error {
	in := &dynamodb.QueryInput{
		TableName: aws.String(t.name), ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(!backwards),
		KeyConditionExpression:    aws.String("#pk = :pk"),
		ExpressionAttributeNames:  map[string]string{"#pk": attrPK},
		ExpressionAttributeValues: item{":pk": str(pk)},
	}
	if below != "" {
		in.KeyConditionExpression = aws.String("#pk = :pk AND #sk < :below")
		in.ExpressionAttributeNames["#sk"] = attrSK
		in.ExpressionAttributeValues[":below"] = str(below)
	}
	return t.pages(ctx, in, each)
}

// between is query for the sort keys from first on and before end.
func (t table) between(ctx context.Context, pk, first, end string, each func(item) bool) error {
	if first >= end {
		return nil
	}
	return t.pages(ctx, &dynamodb.QueryInput{
		TableName: aws.String(t.name), ConsistentRead: aws.Bool(true),
		KeyConditionExpression:    aws.String("#pk = :pk AND #sk BETWEEN :first AND :end"),
		ExpressionAttributeNames:  map[string]string{"#pk": attrPK, "#sk": attrSK},
		ExpressionAttributeValues: item{":pk": str(pk), ":first": str(first), ":end": str(end)},
	}, func(i item) bool { return getStr(i, attrSK) >= end || each(i) })
}

func (t table) pages(ctx context.Context, in *dynamodb.QueryInput, each func(item) bool) error {
	for {
		out, err := t.client.Query(ctx, in)
		if err != nil {
			return err
		}
		for _, i := range out.Items {
			if !each(i) {
				return nil
			}
		}
		if len(out.LastEvaluatedKey) == 0 {
			return nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// pause waits before the given try: not at all before the first, then longer
// and longer, at random; after some seconds it gives up.
func pause(ctx context.Context, try int) error {
	if try == 0 {
		return nil
	}
	if try > 8 {
		return errUnfinished
	}
	longest := 20 * time.Millisecond << try
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(longest/2 + rand.N(longest/2)):
		return nil
	}
}

func conditionFailed(err error) bool {
	_, failed := errors.AsType[*types.ConditionalCheckFailedException](err)
	return failed
}

// again repeats the request for as long as a transaction touches its item.
func again(ctx context.Context, request func() error) error {
	for try := 0; ; try++ {
		if err := pause(ctx, try); err != nil {
			return err
		}
		err := request()
		if _, busy := errors.AsType[*types.TransactionConflictException](err); !busy {
			return err
		}
	}
}

// codec compresses documents. Both directions are safe for concurrent use.
type codec struct {
	in  *zstd.Encoder
	out *zstd.Decoder
}

// maxExpanded bounds what one stored document may become in memory.
const maxExpanded = 64 << 20

func newCodec() (*codec, error) {
	in, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, err
	}
	out, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxExpanded))
	if err != nil {
		return nil, err
	}
	return &codec{in, out}, nil
}

func (t table) compress(b []byte) ([]byte, error) {
	c, err := t.codec()
	if err != nil {
		return nil, err
	}
	return c.in.EncodeAll(b, nil), nil
}

func (t table) expand(b []byte) ([]byte, error) {
	c, err := t.codec()
	if err != nil {
		return nil, err
	}
	return c.out.DecodeAll(b, nil)
}

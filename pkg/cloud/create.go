package cloud

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/stored"
)

// keyPK hashes the idempotency key: buyers choose it, and it may be longer
// than a DynamoDB key and hold anything.
func keyPK(dealerID, value string) string {
	sum := sha256.Sum256([]byte(value))
	return dealerID + "#key#" + hex.EncodeToString(sum[:])
}

// guard is one write of the transaction and what the failure of its condition
// means.
type guard struct {
	write  types.TransactWriteItem
	reason error
}

// Create writes the entry in one transaction.
func (s *Leads) Create(ctx context.Context, e lead.Entry, now time.Time) error {
	guards, err := s.guards(e, now)
	if err != nil {
		return err
	}
	id := e.Record.ID
	return s.transact(ctx, guards, "lead "+id, func(i item) bool {
		return getStr(i, attrLead) == id || contains(i, attrLeads, id)
	})
}

// crowdedTries is how often a transaction is repeated, within half a second,
// when nothing but a slot is in its way.
const crowdedTries = 4

// transact writes all or nothing. own tells an item that the same transaction
// wrote when its answer was lost; a slot so busy that no try gets through is
// as good as taken.
func (s *Leads) transact(ctx context.Context, guards []guard, what string, own func(item) bool) error {
	writes := make([]types.TransactWriteItem, len(guards))
	for n := range guards {
		writes[n] = guards[n].write
	}
	var crowded bool
	for try := 0; ; try++ {
		if crowded && try > crowdedTries {
			return lead.ErrSlotTaken
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
		_, err := s.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
		if err == nil {
			return nil
		}
		cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
		if !ok {
			if _, busy := errors.AsType[*types.TransactionInProgressException](err); busy {
				continue
			}
			return fmt.Errorf("%s: %w", what, err)
		}
		verdict, again := judge(guards, cancelled.CancellationReasons, own)
		if verdict != nil && !errors.Is(verdict, errCancelled) {
			return verdict
		}
		if verdict != nil {
			return fmt.Errorf("%s: %w", what, verdict)
		}
		if !again {
			return nil
		}
		crowded = onlySlots(guards, cancelled.CancellationReasons)
	}
}

var errCancelled = errors.New("transaction cancelled")

// judge says why the transaction was cancelled. nil: the items are its own,
// written before by a request whose answer was lost. again: another
// transaction touched them at the same moment.
func judge(guards []guard, reasons []types.CancellationReason, own func(item) bool) (verdict error, again bool) {
	for n, r := range reasons {
		switch aws.ToString(r.Code) {
		case "", "None":
		case "ConditionalCheckFailed":
			if own(r.Item) {
				continue
			}
			// Guards come in the order in which they are reported.
			if verdict == nil && n < len(guards) {
				verdict = guards[n].reason
			}
		case codeConflict, "ThrottlingError", "ProvisionedThroughputExceeded":
			again = true
		default:
			return fmt.Errorf("%w: %s", errCancelled, aws.ToString(r.Code)), false
		}
	}
	return verdict, again && verdict == nil
}

const codeConflict = "TransactionConflict"

// onlySlots reports whether nothing but slots was touched by others.
func onlySlots(guards []guard, reasons []types.CancellationReason) bool {
	for n, r := range reasons {
		switch code := aws.ToString(r.Code); {
		case code == "" || code == "None":
		case code != codeConflict || n >= len(guards) || !errors.Is(guards[n].reason, lead.ErrSlotTaken):
			return false
		}
	}
	return true
}

// guards are the puts of the entry: first the key, then the lead's own
// duplicate key, then what cannot be taken, then the duplicate keys of poorer
// leads, which are put whatever is there, last the visit with its slots.
func (s *Leads) guards(e lead.Entry, now time.Time) ([]guard, error) {
	r := e.Record
	raw, err := stored.AppendRecord(nil, r)
	if err != nil {
		return nil, err
	}
	doc, err := s.compress(raw)
	if err != nil {
		return nil, err
	}
	var guards []guard
	add := func(i item, until time.Time, reason error) {
		i[attrLead] = str(r.ID)
		guards = append(guards, guard{types.TransactWriteItem{Put: s.put(expire(i, until), now)}, reason})
	}
	if e.Key != nil {
		i, err := keyItem(r.DealerID, *e.Key)
		if err != nil {
			return nil, err
		}
		add(i, e.Key.ExpiresAt, lead.ErrKeyTaken)
	}
	if e.Equal != "" {
		add(key(equalPK(r.DealerID, e.Equal), skEqual), e.EqualsUntil, lead.ErrDuplicate)
		if e.Instead != "" {
			guards[len(guards)-1].write.Put = orOf(guards[len(guards)-1].write.Put, e.Instead)
		}
	}
	record := key(leadPK(r.DealerID, r.ID), skRecord)
	record[attrDoc] = bin(doc)
	inUse := fmt.Errorf("lead id %s is in use", r.ID)
	add(record, r.ExpiresAt, inUse)
	add(key(receivedPK(r.DealerID), timeSK(r.ReceivedAt, r.ID)), r.ExpiresAt, inUse)
	waiting := key(outboxPK(r.DealerID), r.ID)
	waiting[attrAt] = num(r.ReceivedAt.UnixNano())
	add(waiting, r.ExpiresAt, inUse)
	for _, digest := range e.Poorer {
		i := expire(key(equalPK(r.DealerID, digest), skEqual), e.EqualsUntil)
		i[attrLead] = str(r.ID)
		guards = append(guards, guard{write: types.TransactWriteItem{Put: &types.Put{TableName: aws.String(s.name), Item: i}}})
	}
	if e.Booking != nil {
		visit, err := s.visitGuards(r.DealerID, lead.Visit{}, e.Booking.Visit, e.Booking.Claims)
		if err != nil {
			return nil, err
		}
		guards = append(guards, visit...)
	}
	return guards, nil
}

// Bind writes one item on the condition that Create puts on it, and that its
// lead is there. When the answer of the put is lost, its repetition finds the
// key taken.
func (s *Leads) Bind(ctx context.Context, dealerID string, k lead.Key, now time.Time) error {
	i, err := keyItem(dealerID, k)
	if err != nil {
		return err
	}
	return s.beside(ctx, dealerID, k.LeadID, s.put(expire(i, k.ExpiresAt), now), lead.ErrKeyTaken)
}

// keyItem is the item of an idempotency key. Create adds the lead it belongs
// to; a bound key has none, so that no lead takes it for its own.
func keyItem(dealerID string, k lead.Key) (item, error) {
	body, err := stored.AppendKey(nil, k)
	if err != nil {
		return nil, err
	}
	i := key(keyPK(dealerID, k.Value), skKey)
	i[attrDoc] = str(string(body))
	return i, nil
}

// put writes the item if none is there or the one there is over.
func (s *Leads) put(i item, now time.Time) *types.Put {
	return &types.Put{
		TableName: aws.String(s.name), Item: i,
		ConditionExpression:                 aws.String("attribute_not_exists(#pk) OR #until <= :now"),
		ExpressionAttributeNames:            map[string]string{"#pk": attrPK, "#until": attrUntil},
		ExpressionAttributeValues:           item{":now": num(now.UnixNano())},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}

// orOf lets the put also replace an item of the lead.
func orOf(p *types.Put, leadID string) *types.Put {
	p.ConditionExpression = aws.String(*p.ConditionExpression + " OR #lead = :instead")
	p.ExpressionAttributeNames["#lead"], p.ExpressionAttributeValues[":instead"] = attrLead, str(leadID)
	return p
}

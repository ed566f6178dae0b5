package peers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// lambdaHandler is what Lambda calls for each event of API Gateway.
type lambdaHandler = func(context.Context, events.APIGatewayProxyRequest) (events.APIGatewayProxyResponse, error)

// onDynamoDB is the agent's function and the peer's, each with the cars in a
// table of its own on one emulator.
func onDynamoDB(t *testing.T, p *dealer.Profile, export []byte, cars [][]byte) (ours, peers asker) {
	t.Helper()
	client := cloudtest.DynamoDB(cloudtest.Dynalite(t))
	store := cloud.NewInventory(client, cloudtest.Table(t, client))
	importer := feed.Importer{Store: store, Profiles: dealer.Fixed(p), Now: time.Now}
	if _, err := importer.Import(t.Context(), feed.Source{Name: "inventory.csv", Body: bytes.NewReader(export)}, false); err != nil {
		t.Fatal(err)
	}
	skills := agent.New(agent.Parts{Profiles: dealer.Fixed(p), Schemas: schema.Released(), Lot: inventory.NewLot(store, time.Now)})
	door := a2a.NewHandler(a2a.Config{Agent: skills, Profiles: dealer.Fixed(p), Settings: agent.Settings{Log: slog.New(slog.DiscardHandler)}})
	rows := fill(t, client, cars)
	return invoking(t, cloud.REST(door)), invoking(t, rows.handle)
}

// invoking sends questions as events.
func invoking(t *testing.T, h lambdaHandler) asker {
	return func(question string, read func([]byte)) error {
		out, err := h(t.Context(), events.APIGatewayProxyRequest{
			Resource: "/a2a", Path: "/a2a", HTTPMethod: http.MethodPost, Body: envelope(question),
			MultiValueHeaders: map[string][]string{"Content-Type": {"application/json"}, "A2a-Version": {"1.0"}},
		})
		if err == nil && out.StatusCode != http.StatusOK {
			err = fmt.Errorf("HTTP %d: %.300s", out.StatusCode, out.Body)
		}
		if err == nil {
			read([]byte(out.Body))
		}
		return err
	}
}

// carTable is a table with an item a car: what is searched by as attributes, and
// the JSON of the listing, made once. A global index has the cars by make.
//
// A search queries the index for each make that was asked for, at the same time,
// or else the dealer's partition, with a filter expression for the rest, and
// takes only keys and the field of the order with it; then it gets the
// listings of the one page.
type carTable struct {
	client *dynamodb.Client
	name   string
	schema *schema.Set
}

var (
	carTexts   = []string{"model", "condition"}
	carNumbers = []string{"year", "price", "mileage"}
)

const byMake = "by-make"

func fill(t *testing.T, client *dynamodb.Client, cars [][]byte) *carTable {
	t.Helper()
	set, err := schema.Released()(aap.Primary())
	if err != nil {
		t.Fatal(err)
	}
	c := &carTable{client, "cars", set}
	text := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS}
	}
	keys := func(hash string) []types.KeySchemaElement {
		return []types.KeySchemaElement{
			{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("vin"), KeyType: types.KeyTypeRange},
		}
	}
	if _, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(c.name), BillingMode: types.BillingModePayPerRequest, KeySchema: keys("dealer"),
		AttributeDefinitions: []types.AttributeDefinition{text("dealer"), text("vin"), text("make")},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String(byMake), KeySchema: keys("make"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: slices.Concat(carTexts, carNumbers)},
		}},
	}); err != nil {
		t.Fatal(err)
	}
	waiter := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 5*time.Millisecond, 50*time.Millisecond
	})
	if err := waiter.Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(c.name)}, time.Minute); err != nil {
		t.Fatal(err)
	}
	for batch := range slices.Chunk(cars, 25) {
		var puts []types.WriteRequest
		for _, car := range batch {
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: carItem(t, car)}})
		}
		if _, err := client.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{c.name: puts}}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func carItem(t *testing.T, car []byte) map[string]types.AttributeValue {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(car, &v); err != nil {
		t.Fatal(err)
	}
	item := map[string]types.AttributeValue{"dealer": word("a-dealer"), "doc": word(string(car)), "vin": word(v["vin"].(string))}
	for _, name := range append(slices.Clone(carTexts), "make") {
		if s, ok := v[name].(string); ok {
			item[name] = word(strings.ToLower(s))
		}
	}
	for _, name := range carNumbers {
		if n, ok := v[name].(float64); ok {
			item[name] = &types.AttributeValueMemberN{Value: strconv.Itoa(int(n))}
		}
	}
	return item
}

func word(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func (c *carTable) handle(ctx context.Context, event events.APIGatewayProxyRequest) (out events.APIGatewayProxyResponse, err error) {
	var rpc struct {
		ID     json.RawMessage
		Params struct {
			Message struct {
				Parts []struct{ Data json.RawMessage }
			}
		}
	}
	if err := json.Unmarshal([]byte(event.Body), &rpc); err != nil || len(rpc.Params.Message.Parts) != 1 {
		return out, fmt.Errorf("no message: %w", err)
	}
	payload := rpc.Params.Message.Parts[0].Data
	if faults, err := c.schema.Check(aap.InventorySearch.RequestSchema(), payload); err != nil || len(faults) > 0 {
		return out, fmt.Errorf("%v %w", faults, err)
	}
	var request aap.SearchRequest
	if err := json.Unmarshal(payload, &request); err != nil {
		return out, err
	}
	body, err := c.search(ctx, &request)
	if err != nil {
		return out, err
	}
	out.StatusCode, out.MultiValueHeaders = http.StatusOK, map[string][]string{"Content-Type": {"application/json"}}
	out.Body = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"message":{"messageId":%q,"role":"ROLE_AGENT","parts":[{"data":{"type":"inventory.search.response","data":%s},"mediaType":"application/json"}]}}}`,
		rpc.ID, agent.NewID(), body)
	return out, nil
}

// hit is a car that matches, with the number it is sorted by.
type hit struct {
	vin    string
	by     int
	absent bool
}

func (c *carTable) search(ctx context.Context, r *aap.SearchRequest) (string, error) {
	hits, err := c.matches(ctx, r)
	if err != nil {
		return "", err
	}
	slices.SortFunc(hits, func(a, b hit) int {
		by := cmp.Compare(a.by, b.by)
		if r.Sort.Order == "desc" {
			by = -by
		}
		if a.absent != b.absent {
			by = map[bool]int{true: 1, false: -1}[a.absent]
		}
		return cmp.Or(by, cmp.Compare(a.vin, b.vin))
	})
	skip := 0
	if r.Pagination.Skip != nil {
		skip = int(*r.Pagination.Skip)
	}
	shown := hits[min(skip, len(hits)):min(skip+int(*r.Pagination.Limit), len(hits))]
	docs, err := c.listings(ctx, shown)
	return fmt.Sprintf(`{"total":%d,"skip":%d,"limit":%d,"vehicles":[%s]}`, len(hits), skip, *r.Pagination.Limit, strings.Join(docs, ",")), err
}

// matches runs the queries.
func (c *carTable) matches(ctx context.Context, r *aap.SearchRequest) ([]hit, error) {
	names, values := map[string]string{"#by": r.Sort.Field, "#vin": "vin"}, map[string]types.AttributeValue{}
	var terms []string
	for name, wanted := range map[string][]string{"model": r.Filters.Model, "condition": r.Filters.Condition} {
		var list []string
		for n, w := range wanted {
			at := fmt.Sprintf(":%s%d", name, n)
			list, values[at] = append(list, at), word(strings.ToLower(w))
		}
		if len(list) > 0 {
			names["#"+name] = name
			terms = append(terms, "#"+name+" IN ("+strings.Join(list, ", ")+")")
		}
	}
	bound := func(name, sign, at string, n *aap.Int) {
		if n != nil {
			names["#"+name], values[at] = name, &types.AttributeValueMemberN{Value: strconv.Itoa(int(*n))}
			terms = append(terms, "#"+name+" "+sign+" "+at)
		}
	}
	bound("year", ">=", ":from", r.Filters.YearMin)
	bound("price", ">=", ":least", r.Filters.PriceMin)
	bound("price", "<=", ":most", r.Filters.PriceMax)
	in := dynamodb.QueryInput{TableName: aws.String(c.name), ProjectionExpression: aws.String("#vin, #by"), ExpressionAttributeNames: names}
	if len(terms) > 0 {
		in.FilterExpression = aws.String(strings.Join(terms, " AND "))
	}
	partitions := r.Filters.Make
	in.IndexName, names["#pk"] = aws.String(byMake), "make"
	if len(partitions) == 0 {
		in.IndexName, names["#pk"], partitions = nil, "dealer", []string{"a-dealer"}
	}
	in.KeyConditionExpression = aws.String("#pk = :pk")
	found := make([][]hit, len(partitions))
	group, ctx := errgroup.WithContext(ctx)
	for n, partition := range partitions {
		group.Go(func() (err error) {
			ask := in
			ask.ExpressionAttributeValues = map[string]types.AttributeValue{":pk": word(strings.ToLower(partition))}
			for at, v := range values {
				ask.ExpressionAttributeValues[at] = v
			}
			found[n], err = c.query(ctx, &ask, r.Sort.Field)
			return err
		})
	}
	err := group.Wait()
	return slices.Concat(found...), err
}

func (c *carTable) query(ctx context.Context, in *dynamodb.QueryInput, by string) (hits []hit, err error) {
	for {
		out, err := c.client.Query(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, i := range out.Items {
			h := hit{vin: i["vin"].(*types.AttributeValueMemberS).Value, absent: true}
			if n, ok := i[by].(*types.AttributeValueMemberN); ok {
				h.absent = false
				if h.by, err = strconv.Atoi(n.Value); err != nil {
					return nil, err
				}
			}
			hits = append(hits, h)
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 {
			return hits, nil
		}
	}
}

// listings gets the JSON of the cars, in their order.
func (c *carTable) listings(ctx context.Context, cars []hit) ([]string, error) {
	if len(cars) == 0 {
		return nil, nil
	}
	ask := types.KeysAndAttributes{ProjectionExpression: aws.String("vin, doc")}
	at := map[string]int{}
	for n, car := range cars {
		at[car.vin] = n
		ask.Keys = append(ask.Keys, map[string]types.AttributeValue{"dealer": word("a-dealer"), "vin": word(car.vin)})
	}
	out, err := c.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{c.name: ask}})
	if err != nil {
		return nil, err
	}
	docs := make([]string, len(cars))
	for _, i := range out.Responses[c.name] {
		docs[at[i["vin"].(*types.AttributeValueMemberS).Value]] = i["doc"].(*types.AttributeValueMemberS).Value
	}
	if slices.Contains(docs, "") {
		return nil, errors.New("a car is gone")
	}
	return docs, nil
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	cloudformationtypes "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

// keysOf are all keys of the bucket.
func keysOf(t *testing.T, client *s3.Client, bucket string) (keys []string) {
	t.Helper()
	list, err := client.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list.Contents {
		keys = append(keys, aws.ToString(o.Key))
	}
	return keys
}

func TestCommandsKeepToOneDealerWhereAStackServesMany(t *testing.T) {
	const site, exports = "larkspur-sitebucket-1kq0x", "dealer-feeds-0b1c2d3e4f50"
	client := cloudtest.Objects(larkspurStack(t, cloudformationtypes.Parameter{ParameterKey: aws.String("Dealers"), ParameterValue: aws.String("many")}))
	profile := func(id, more string) string {
		name := filepath.Join(t.TempDir(), "any.yaml")
		text := fmt.Sprintf("id: %s\nname: Motors of %s\nskills: [dealer.information]\nrooftops:\n  - {name: Main, timezone: America/Denver, phones: [{value: \"+13035550100\"}]}\n%s", id, id, more)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	if r := dealerCommand(t, "", "publish", "--stack", "larkspur"); r.code != 2 || !strings.Contains(r.err, "choose one with --dealer: none yet; `dealer publish --profile FILE --stack larkspur` brings the first") {
		t.Errorf("whose files? exit code %d: %s", r.code, r.err)
	}
	ash := profile("ash", "")
	r := dealerCommand(t, "", "publish", "--profile", ash, "--stack", "larkspur")
	if r.code != 0 || !strings.HasSuffix(r.out, "Buyers reach the agent at "+larkspurAddress+"/dealers/ash\n") {
		t.Fatalf("exit code %d: %s%s", r.code, r.out, r.err)
	}
	if _, card := object(t, client, site, "published/ash/.well-known/agent-card.json"); !strings.Contains(card, larkspurAddress+"/dealers/ash/a2a") {
		t.Errorf("the card names another address: %s", card)
	}
	oak := dealerCommand(t, "", "publish", "--profile", profile("oak", "url: https://agent.oak.example\n"), "--stack", "larkspur")
	if oak.code != 0 || !strings.HasSuffix(oak.out, "Buyers reach the agent at https://agent.oak.example\n") {
		t.Errorf("a host of its own: exit code %d: %s%s", oak.code, oak.out, oak.err)
	}
	taken := dealerCommand(t, "", "publish", "--profile", profile("elm", "url: https://agent.oak.example\n"), "--stack", "larkspur")
	if taken.code != 1 || !strings.Contains(taken.err, "is another dealer's") {
		t.Errorf("another dealer's host: exit code %d: %s%s", taken.code, taken.out, taken.err)
	}
	again := dealerCommand(t, "", "publish", "--stack", "larkspur", "--dealer", "ash")
	if again.code != 0 || !strings.HasSuffix(again.out, "/dealers/ash\n") {
		t.Errorf("made anew: exit code %d: %s%s", again.code, again.out, again.err)
	}
	if r := dealerCommand(t, "", "publish", "--stack", "larkspur", "--profile", ash, "--dealer", "oak"); r.code != 2 || !strings.Contains(r.err, "ash") {
		t.Errorf("a profile under another's name: exit code %d: %s", r.code, r.err)
	}
	known := []string{"dealers/", "published/", "hosts/agent.oak.example/", "roster/"}
	for _, key := range keysOf(t, client, site) {
		if !strings.Contains(strings.Join(known, " "), strings.SplitAfter(key, "/")[0]) || key == "dealers/" {
			t.Errorf("the bucket got %s too", key)
		}
	}
	mine, err := os.ReadFile(ash)
	if err != nil {
		t.Fatal(err)
	}
	if _, there := object(t, client, site, "dealers/ash/dealer.yaml"); there != string(mine) {
		t.Errorf("the profile of ash is %s", there)
	}

	if r := dealerCommand(t, "", "import", "--stack", "larkspur", "--feed", fixtureFeed); r.code != 2 || !strings.Contains(r.err, "choose one with --dealer: ash") {
		t.Errorf("whose inventory? exit code %d: %s", r.code, r.err)
	}
	imported := dealerCommand(t, "", "import", "--stack", "larkspur", "--dealer", "ash", "--feed", fixtureFeed, "--wait", "50ms")
	if imported.code != 1 || !strings.Contains(imported.err, "s3://"+exports+"/feeds/ash/feed.json is there") {
		t.Errorf("exit code %d: %s", imported.code, imported.err)
	}
	if keys := keysOf(t, client, exports); len(keys) != 1 || keys[0] != "feeds/ash/feed.json" {
		t.Errorf("the feed bucket has %v", keys)
	}
	if r := dealerCommand(t, "", "doctor", "--stack", "larkspur"); r.code != 2 || !strings.Contains(r.err, "choose one with --dealer: ash") || strings.Count(r.err, "\n") != 1 {
		t.Errorf("whose agent? exit code %d: %s%s", r.code, r.out, r.err)
	}
	for _, args := range [][]string{{"publish", "--profile", ash, "--dir", "x", "--dealer", "ash"}, {"import", "s3://b/feeds/ash/x.csv", "--dealer", "ash"}} {
		if r := dealerCommand(t, "", args...); r.code != 2 || !strings.Contains(r.err, "--dealer goes with --stack") {
			t.Errorf("%v: exit code %d: %s", args, r.code, r.err)
		}
	}
}

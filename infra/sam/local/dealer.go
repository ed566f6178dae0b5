package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/dealer-agent/dealer/infra/sample"
	profile "github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// dealer is whose agent is served.
type dealer struct {
	profile, feed []byte
	feedName      string
	files         []wellknown.File
}

var addressLine = regexp.MustCompile(`(?m)^url:.*$`)

// readDealer reads profile and inventory, the sample's where none is named. The
// profile's address becomes the one that is served here.
func readDealer(profileFile, feedFile, address string) (d dealer, err error) {
	d.profile = sample.Profile()
	d.feedName, d.feed = sample.Feed()
	if profileFile != "" {
		if d.profile, err = os.ReadFile(profileFile); err != nil {
			return d, err
		}
	}
	if feedFile != "" {
		if d.feed, err = os.ReadFile(feedFile); err != nil {
			return d, err
		}
		d.feedName = filepath.Base(feedFile)
	}
	d.profile = append(addressLine.ReplaceAll(d.profile, nil), "\nurl: "+address+"\n"...)
	p, err := profile.Parse(d.profile)
	if err != nil {
		return d, fmt.Errorf("the dealer profile is at fault: %w", err)
	}
	d.files, err = wellknown.Files(p)
	return d, err
}

// writeEvent writes what S3 tells of an object that was put.
func writeEvent(name, bucket, key string, size int) error {
	body, err := json.MarshalIndent(map[string]any{"Records": []any{map[string]any{
		"eventVersion": "2.1", "eventSource": "aws:s3", "awsRegion": region, "eventTime": "2026-01-01T00:00:00.000Z", "eventName": "ObjectCreated:Put",
		"s3": map[string]any{
			"s3SchemaVersion": "1.0", "configurationId": "local", "bucket": map[string]any{"name": bucket, "arn": "arn:aws:s3:::" + bucket},
			"object": map[string]any{"key": key, "size": size, "sequencer": "0A"},
		},
	}}}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, body, 0o600)
}

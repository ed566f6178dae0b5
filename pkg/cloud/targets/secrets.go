package targets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/smithy-go"

	"github.com/dealer-agent/dealer/pkg/crm"
)

// parameters reads ssm:/path, decrypted.
func parameters(cfg aws.Config) crm.Source {
	client := sync.OnceValue(func() *ssm.Client { return ssm.NewFromConfig(cfg) })
	return func(ctx context.Context, name string) (string, error) {
		out, err := client().GetParameter(ctx, &ssm.GetParameterInput{Name: aws.String(name), WithDecryption: aws.Bool(true)})
		if err != nil {
			return "", told(err)
		}
		return aws.ToString(out.Parameter.Value), nil
	}
}

// secrets reads secretsmanager:ID and secretsmanager:ID#member.
func secrets(cfg aws.Config) crm.Source {
	client := sync.OnceValue(func() *secretsmanager.Client { return secretsmanager.NewFromConfig(cfg) })
	return func(ctx context.Context, name string) (string, error) {
		id, member, inside := strings.Cut(name, "#")
		out, err := client().GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: aws.String(id)})
		if err != nil {
			return "", told(err)
		}
		if out.SecretString == nil {
			return "", errors.New("it is binary; store it as text")
		}
		if !inside {
			return *out.SecretString, nil
		}
		// The decoder's own errors may quote the secret.
		var members map[string]json.RawMessage
		var value string
		if json.Unmarshal([]byte(*out.SecretString), &members) != nil {
			return "", fmt.Errorf("it is not a JSON object, so it has no member %s", member)
		}
		if json.Unmarshal(members[member], &value) != nil {
			return "", fmt.Errorf("it has no text member %s", member)
		}
		return value, nil
	}
}

// told keeps a service's error code; its message may be anything.
func told(err error) error {
	var api smithy.APIError
	if errors.As(err, &api) {
		return errors.New(api.ErrorCode())
	}
	return errors.New("out of reach")
}

package cloud

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// DealerFolders are the dealers that have a folder below the prefix of a bucket,
// such as Settings.ProfileKey or RosterPrefix, sorted as their ids are: one
// request for each thousand.
func DealerFolders(ctx context.Context, objects s3.ListObjectsV2APIClient, bucket, prefix string) (ids []string, err error) {
	pages := s3.NewListObjectsV2Paginator(objects, &s3.ListObjectsV2Input{Bucket: aws.String(bucket), Prefix: aws.String(prefix), Delimiter: aws.String("/")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, folder := range page.CommonPrefixes {
			if id, ok := DealerOfKey(prefix, aws.ToString(folder.Prefix)); ok {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Dealers are the ids of those who have a profile in a stack of many, sorted.
func (s *Stack) Dealers(ctx context.Context) ([]string, error) {
	return DealerFolders(ctx, s.object(), s.Settings.ProfileBucket, s.Settings.ProfileKey)
}

// IsDealerID reports whether it is the id of a dealer of many.
func IsDealerID(id string) bool { return dealerForm.MatchString(id) }

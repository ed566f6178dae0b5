package schema

import (
	"sync"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/schemas"
)

// Released returns a look-up of the embedded contracts. Each one is opened
// when it is first asked for, and once only; an unknown version is an error.
func Released() func(aap.Version) (*Set, error) {
	var opened sync.Map // version → func() (*Set, error)
	return func(v aap.Version) (*Set, error) {
		open, ok := opened.Load(v)
		if !ok {
			open, _ = opened.LoadOrStore(v, sync.OnceValues(func() (*Set, error) {
				files, err := schemas.Version(v.Label)
				if err != nil {
					return nil, err
				}
				return New(v, files)
			}))
		}
		return open.(func() (*Set, error))()
	}
}

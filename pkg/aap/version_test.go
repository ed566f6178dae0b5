package aap_test

import (
	"encoding/json"
	"io/fs"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/schemas"
)

func TestEachContractHasTheCodesOfItsErrorSchema(t *testing.T) {
	for _, v := range aap.Versions() {
		files, err := schemas.Version(v.Label)
		if err != nil {
			t.Fatal(err)
		}
		text, err := fs.ReadFile(files, "error.schema.json")
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			Properties struct{ Code struct{ Enum []aap.Code } }
		}
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		got, want := v.Codes(), s.Properties.Code.Enum
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("codes of %s differ (-schema +table):\n%s", v.Label, diff)
		}
	}
}

func TestCodesHaveANumberAndAStatus(t *testing.T) {
	for code, want := range map[aap.Code]struct {
		rpc, http int
		retryable bool
	}{
		aap.AuthRequired:        {-32001, 401, false},
		aap.UnsupportedSkill:    {-32601, 404, false},
		aap.InvalidCondition:    {-32602, 422, false},
		aap.VehicleUnavailable:  {-32000, 409, false},
		aap.InvalidConsent:      {-32000, 403, false},
		aap.IdempotencyConflict: {-32000, 409, false},
		aap.RateLimited:         {-32002, 429, true},
		aap.InternalError:       {-32603, 500, true},
		"MADE_UP":               {-32603, 500, false},
	} {
		if code.RPC() != want.rpc || code.HTTP() != want.http || code.Retryable() != want.retryable {
			t.Errorf("%s: %d %d %v, want %+v", code, code.RPC(), code.HTTP(), code.Retryable(), want)
		}
	}
}

func TestEachContractHasAPathOfItsOwn(t *testing.T) {
	if main := aap.Primary(); main.Path() != "/a2a" || main.VersionPath() != "/a2a/"+main.Label || main != aap.Versions()[0] {
		t.Errorf("the primary contract is served at %s and %s", main.Path(), main.VersionPath())
	}
	for _, v := range aap.Versions()[1:] {
		if found, ok := aap.VersionByLabel(v.Label); !ok || found != v || v.Path() != "/a2a/"+v.Label {
			t.Errorf("%s is found as %v and served at %s", v.Label, found, v.Path())
		}
	}
	if _, ok := aap.VersionByLabel("v1.30"); ok {
		t.Error("a version nobody released is known")
	}
}

func TestOnlyEarlyContractsHaveRESTAndTheOldMethod(t *testing.T) {
	rest, old := "", ""
	for _, v := range aap.Versions() {
		if v.REST {
			rest += v.Label + " "
		}
		if v.OldMethod {
			old += v.Label + " "
		}
	}
	if rest != "v1.0 v0.2 v0.1 " || old != "v0.2 v0.1 " {
		t.Errorf("REST %s, message/send %s", rest, old)
	}
}

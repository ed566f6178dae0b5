package pickup

import (
	"errors"
	"os"
	"testing"
)

func TestAFileIsFetchedUpToItsLimitAndNoFurther(t *testing.T) {
	dir := t.TempDir()
	s, err := newSpool(dir, 10)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(make([]byte, 10)); err != nil {
		t.Errorf("the limit itself: %v", err)
	}
	if n, err := s.Write([]byte{1}); n != 0 || !errors.Is(err, errTooLarge) {
		t.Errorf("a byte more: %d, %v", n, err)
	}
	s.remove()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", left, err)
	}
}

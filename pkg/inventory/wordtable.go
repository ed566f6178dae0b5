package inventory

// wordTable numbers words in the order they are first seen. It is a plain
// open-addressed table: most of building an index is looking words up, and
// this does it several times faster than a map of strings.
type wordTable struct {
	words []string
	// slots holds word numbers plus one, at most half full; hashes is by word.
	slots  []uint32
	hashes []uint32
}

func newWordTable() wordTable { return wordTable{slots: make([]uint32, 1<<10)} }

// hash is FNV-1a.
func hash[T string | []byte](word T) uint32 {
	h := uint32(2166136261)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h
}

// id is the word's number, given now if it is new.
func (t *wordTable) id(word []byte) uint32 {
	h := hash(word)
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		if w := t.slots[i] - 1; t.hashes[w] == h && t.words[w] == string(word) {
			return w
		}
		i = (i + 1) & mask
	}
	w := uint32(len(t.words))
	t.words, t.hashes = append(t.words, string(word)), append(t.hashes, h)
	t.slots[i] = w + 1
	if 2*len(t.words) > len(t.slots) {
		t.grow()
	}
	return w
}

// lookup is the number of a word that was given one.
func (t *wordTable) lookup(word string) (uint32, bool) {
	h := hash(word)
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; t.slots[i] != 0; i = (i + 1) & mask {
		if w := t.slots[i] - 1; t.hashes[w] == h && t.words[w] == word {
			return w, true
		}
	}
	return 0, false
}

func (t *wordTable) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint32(len(t.slots) - 1)
	for w, h := range t.hashes {
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(w) + 1
	}
}

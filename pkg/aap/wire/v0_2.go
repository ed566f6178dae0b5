package wire

// AAP v0.2 has the payloads of v1.0.
var _ = older("v0.2", step{})

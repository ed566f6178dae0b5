package schema

// Formats is what the set asserts by its own reading, for the oracle to share.
var Formats = formats

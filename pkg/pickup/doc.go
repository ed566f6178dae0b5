// Package pickup fetches a dealer's export from where the profile says, https
// addresses and SFTP servers, on a schedule, and has it imported.
//
// It promises four things. A file is imported whole or not at all: what breaks
// off, is still being written or is no export reaches nobody, and the last good
// inventory stays. Nothing is imported twice or out of order: each source has
// one visitor at a time, and a file older than the last one is not taken. A
// file vouches for its cars as of the time the source gives it (Last-Modified, or
// the file's own time), and only without one as of the time it was fetched; an
// unchanged file vouches for nothing anew. And no secret, address or answer of a
// source is repeated in an error, a log or a state.
package pickup

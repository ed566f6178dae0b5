// Package setup makes the first files of a dealer out of a few answers: the
// profile, the settings of its deployment on AWS, and what to do next.
package setup

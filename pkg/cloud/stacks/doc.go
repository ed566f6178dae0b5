// Package stacks speaks to CloudFormation, and to what stands in its stacks, in
// any account and region: with the rights of the person who runs the command, or
// with those of a role that it assumes in another account. It never repeats a
// call by itself; its errors tell whether that may help.
package stacks

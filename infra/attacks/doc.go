// Package attacks is the attack review of the agent, written as tests.
package attacks

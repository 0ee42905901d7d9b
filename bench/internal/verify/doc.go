// Package verify makes random calls on several devices at once and compares them with
// the float64 reference and with each other. A call that fails is made as small as
// it can be and still fail.
//
// Call number i of a seed is the same on every machine and in every run, whatever
// the devices are.
package verify

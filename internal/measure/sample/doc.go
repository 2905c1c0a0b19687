// Package sample takes the samples of a plan: a fresh process for each, in the
// plan's order, each one on disk before the next begins, until the questions
// are answered.
package sample

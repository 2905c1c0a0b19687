// Package remedy says what may be done about allocation sites: what the usual fix would save,
// as an estimate from prices that were measured, and the exact edit of the source where the
// syntax tree shows that it is safe enough. It applies nothing.
package remedy

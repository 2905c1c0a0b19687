//go:build !go1.16
// +build !go1.16

package gccost

// addMetrics does nothing: this Go has no runtime/metrics.
func (f *figures) addMetrics(sign float64) {}

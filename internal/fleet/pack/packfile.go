// This part of the package writes samples as Parquet and reads them back: a row a sample, a column for each
// figure and each key of the configuration that a sample has. It knows files, not folders: a writer
// gets an io.Writer and a reader an io.ReaderAt.
//
// A column is called as samples.txt calls what it holds ("ns/op", "toolchain"), but for a few names
// (see nameOf). Figures are kept as they were printed, so that nothing is lost: what is read back is
// what benchfmt.Reader makes of samples.txt.

package pack

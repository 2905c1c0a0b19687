package pack

import (
	"bufio"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Bounds of what memcost writes into a page, far above it. The library makes room for what a page says that it
// holds, which a few bytes of somebody else's can say of gigabytes.
const (
	pageBytes     = 16 << 20 // of samples
	questionBytes = 64 << 20 // of run.json
)

// plausible returns an error where a row group says of its pages what no row group can have that was written with
// pages of so many bytes.
func plausible(r io.ReaderAt, size int64, g format.RowGroup, bytes int32) error {
	if g.NumRows < 0 || g.NumRows > groupRows {
		return fmt.Errorf("it is damaged: %d rows in one group", g.NumRows)
	}
	for _, c := range g.Columns {
		m := c.MetaData
		at := m.DataPageOffset
		if m.DictionaryPageOffset > 0 {
			at = min(at, m.DictionaryPageOffset)
		}
		end := at + m.TotalCompressedSize
		if at < 0 || m.TotalCompressedSize < 0 || end < at || end > size {
			return fmt.Errorf("it is damaged: the pages of its column %s are not in it", m.PathInSchema)
		}
		for values := int64(0); at < end; {
			section := io.NewSectionReader(r, at, end-at)
			in := bufio.NewReader(section)
			var page format.PageHeader
			if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(in)).Decode(&page); err != nil {
				return fmt.Errorf("it is damaged: a page of its column %s: %w", m.PathInSchema, err)
			}
			read, _ := section.Seek(0, io.SeekCurrent)
			at += read - int64(in.Buffered()) + int64(page.CompressedPageSize)
			values += int64(page.DataPageHeader.V.NumValues) + int64(page.DataPageHeaderV2.V.NumValues)
			if page.CompressedPageSize < 0 || page.UncompressedPageSize < 0 || page.UncompressedPageSize > bytes ||
				page.DataPageHeader.V.NumValues < 0 || page.DataPageHeaderV2.V.NumValues < 0 || values > g.NumRows ||
				page.DictionaryPageHeader.V.NumValues < 0 || page.DictionaryPageHeader.V.NumValues > page.UncompressedPageSize {
				return fmt.Errorf("it is damaged: a page of its column %s says that it has %d bytes and %d values",
					m.PathInSchema, page.UncompressedPageSize, values)
			}
		}
	}
	return nil
}

package document

// Walk calls f for the blocks in their order, and for those inside others; where f returns false
// the inside of a block is passed over.
func Walk(blocks []Block, f func(Block) bool) {
	for _, b := range blocks {
		if !f(b) {
			continue
		}
		switch b := b.(type) {
		case *Fold:
			Walk(b.Blocks, f)
		case *Group:
			Walk(b.Blocks, f)
		case *Picture:
			if b.Table != nil {
				Walk([]Block{b.Table}, f)
			}
		case *Table:
			for _, r := range b.Rows {
				Walk(r.Detail, f)
			}
		}
	}
}

package explain

import (
	"go/ast"
	"go/token"
	"go/types"
)

// code is what is known of one file: where its functions are, and which lines hold code.
type code struct {
	set     *token.FileSet
	funcs   []*ast.FuncDecl
	columns map[int]int // of each line with code → the first column of a node that begins there
	ends    map[int]bool
	panics  [][2]int
}

func codeOf(set *token.FileSet, file *ast.File) *code {
	c := &code{set: set, columns: map[int]int{}, ends: map[int]bool{}}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			c.funcs = append(c.funcs, f)
		}
		ast.Inspect(d, c.visit)
	}
	return c
}

func (c *code) visit(n ast.Node) bool {
	switch n := n.(type) {
	case nil, *ast.Comment, *ast.CommentGroup:
		return false
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "panic" {
			c.panics = append(c.panics, [2]int{c.at(n.Pos()).Line, c.at(n.End()).Line})
		}
	}
	at := c.at(n.Pos())
	if first, ok := c.columns[at.Line]; !ok || at.Column < first {
		c.columns[at.Line] = at.Column
	}
	c.ends[c.at(n.End()).Line] = true
	return true
}

// at returns the position in the file itself, whatever //line comments say.
func (c *code) at(p token.Pos) token.Position { return c.set.PositionFor(p, false) }

// around returns the function around a line, nil if there is none.
func (c *code) around(line int) *ast.FuncDecl {
	for _, f := range c.funcs {
		if line >= c.at(f.Pos()).Line && line <= c.at(f.End()).Line {
			return f
		}
	}
	return nil
}

// target returns the line that a comment is for: its own, where code stands before it, else
// the one below the group of comments that it is in. It is 0 if there is no code.
func (c *code) target(comment *ast.Comment, group *ast.CommentGroup) int {
	at := c.at(comment.Pos())
	if first, ok := c.columns[at.Line]; ok && first < at.Column || !ok && c.ends[at.Line] {
		return at.Line
	}
	below := c.at(group.End()).Line + 1
	if _, ok := c.columns[below]; ok {
		return below
	}
	return 0
}

// nameOf returns the name of a function as the compiler has it: "(*Decoder).Decode".
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	star, pointer := receiver.(*ast.StarExpr)
	if pointer {
		receiver = star.X
	}
	switch x := receiver.(type) { // type parameters are not part of the name
	case *ast.IndexExpr:
		receiver = x.X
	case *ast.IndexListExpr:
		receiver = x.X
	}
	if pointer {
		return "(*" + types.ExprString(receiver) + ")." + f.Name.Name
	}
	return types.ExprString(receiver) + "." + f.Name.Name
}

package escape

import (
	"go/ast"
	"go/token"
	"go/types"
)

// large reports whether the source shows that an object of a diagnostic shares no block of 16 bytes
// with others: it holds pointers, or is no smaller (mallocgc in runtime/malloc.go). Where a type is
// not known, as those of other packages, it may share one.
func (s *Source) large(d Diagnostic) bool {
	if d.Kind == MovedToHeap {
		for _, e := range s.onLine(d.File, d.Line) {
			if id, ok := e.node.(*ast.Ident); ok && id.Name == d.Subject && s.info.Defs[id] != nil {
				return isLarge(s.info.Defs[id].Type())
			}
		}
		return false
	}
	e := s.expression(d)
	if e == nil {
		return false
	}
	t := s.info.TypeOf(e.node.(ast.Expr))
	switch x := e.node.(type) {
	case *ast.UnaryExpr:
		if x.Op == token.AND { // &T{…}
			t = s.info.TypeOf(x.X)
		}
	case *ast.CallExpr:
		switch {
		case isNamed(x.Fun, "new"):
			t = s.info.TypeOf(x.Args[0])
		case isNamed(x.Fun, "make", "append"):
			slice, ok := under(s.info, x).(*types.Slice)
			return ok && pointers(slice.Elem())
		default: // of a text's length nothing is known, nor of what a function makes that was inlined
			return false
		}
	case *ast.CompositeLit:
		if t == nil {
			return false
		}
		slice, ok := t.Underlying().(*types.Slice) // its array is what is made
		if !ok {
			return false
		}
		return len(x.Elts) > 0 && (pointers(slice.Elem()) || isLarge(types.NewArray(slice.Elem(), int64(len(x.Elts)))))
	case *ast.FuncLit, *ast.BinaryExpr:
		return false
	}
	return isLarge(t)
}

func isLarge(t types.Type) bool {
	if t == nil {
		return false
	}
	return pointers(t) || whole(t) && types.SizesFor("gc", "amd64").Sizeof(t) >= 16
}

// pointers reports whether values of a type hold pointers for certain.
func pointers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return true
	case *types.Interface:
		_, param := t.(*types.TypeParam)
		return !param
	case *types.Basic:
		return u.Kind() == types.String || u.Kind() == types.UnsafePointer
	case *types.Array:
		return u.Len() > 0 && pointers(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if pointers(u.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

// whole reports whether all of a type is known.
func whole(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.Invalid && u.Info()&types.IsUntyped == 0
	case *types.Array:
		return whole(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if !whole(u.Field(i).Type()) {
				return false
			}
		}
		return true
	}
	return false
}

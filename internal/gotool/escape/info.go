package escape

import (
	"go/ast"
	"go/types"
)

func isStruct(info *types.Info, x ast.Expr) bool {
	t := info.TypeOf(x)
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

func isMap(info *types.Info, x ast.Expr) bool {
	t := info.TypeOf(x)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func isMapLiteral(info *types.Info, e *entry) bool {
	if e == nil {
		return false
	}
	lit, ok := e.node.(*ast.CompositeLit)
	return ok && isMap(info, lit)
}

// isPointer reports whether a value is stored in an interface without a copy: it is a
// pointer already.
func isPointer(info *types.Info, x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
	default:
		return false // what makes one, as make does
	}
	t := info.TypeOf(x)
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// captures reports whether a function literal uses variables of the functions around it.
func captures(info *types.Info, lit *ast.FuncLit) bool {
	found := false
	ast.Inspect(lit, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := info.Uses[id].(*types.Var)
		if ok && !v.IsField() && v.Pkg() != nil && v.Parent() != v.Pkg().Scope() &&
			(v.Pos() < lit.Pos() || v.Pos() > lit.End()) {
			found = true
		}
		return true
	})
	return found
}

func namesResult(fn *ast.FuncDecl, name string) bool {
	if fn == nil || fn.Type.Results == nil {
		return false
	}
	for _, field := range fn.Type.Results.List {
		for _, id := range field.Names {
			if id.Name == name {
				return true
			}
		}
	}
	return false
}

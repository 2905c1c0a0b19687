package causes

// cause: returned-pointer
//
//line grammar.y:7
func fromGrammar(i int) *vec { return &vec{i, 1, 2} }

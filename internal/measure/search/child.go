package search

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"

	"memcost/internal/base/proc"
)

//go:embed stack.go.txt
var stackSource string

// frames are the sizes of the locals of the recursive functions. No variable of
// theirs is larger than chunk, which every Go keeps on the stack.
var frames = []int{64, 1 << 10, 4 << 10, 64 << 10, 1 << 20, 10 << 20}

const chunk = 64 << 10

// stackProgram returns the source of the children: the fixed part and a recursive
// function for each of frames. The variables of a frame are used after the call, so that
// they are kept across it and share no memory.
func stackProgram() string {
	var b strings.Builder
	b.WriteString(stackSource)
	b.WriteString("\nvar frames = map[int]func(int, *byte) byte{\n")
	for _, f := range frames {
		fmt.Fprintf(&b, "\t%d: recurse%d,\n", f, f)
	}
	b.WriteString("}\n")
	for _, f := range frames {
		fmt.Fprintf(&b, "\n//go:noinline\nfunc recurse%d(d int, first *byte) byte {\n", f)
		vars, size := max(1, f/chunk), min(f, chunk)
		for i := range vars {
			fmt.Fprintf(&b, "\tvar x%d [%d]byte\n\tx%d[d&%d] = byte(d)\n", i, size, i, size-1)
		}
		b.WriteString("\tif d == 0 {\n\t\tfirst = &x0[0]\n\t}\n" +
			"\tif uintptr(unsafe.Pointer(first)) != top {\n\t\tmoved(uintptr(unsafe.Pointer(first)))\n\t}\n" +
			"\tvisit(d, uintptr(unsafe.Pointer(&x0)), uintptr(unsafe.Pointer(first)))\n" +
			"\tr := byte(0)\n\tif d+1 < stop {\n")
		fmt.Fprintf(&b, "\t\tr = recurse%d(d+1, first)\n\t} else {\n\t\twait()\n\t}\n", f)
		for i := range vars {
			fmt.Fprintf(&b, "\tr += x%d[(d+1)&%d]\n", i, size-1)
		}
		b.WriteString("\treturn r\n}\n")
	}
	return b.String()
}

// child runs the program of the run-time rows and returns what it printed.
func (b *bench) child(ctx context.Context, env []string, args ...any) (proc.Result, error) {
	if b.stack == "" {
		b.log("compiling the program of the run-time rows")
		binary, _, err := b.build(ctx, "stack", stackProgram())
		if err != nil {
			return proc.Result{}, err
		}
		b.stack = binary
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = fmt.Sprint(a)
	}
	return b.Runner.Run(ctx, proc.Cmd{
		Path: b.stack, Args: words, Dir: filepath.Dir(b.stack), Timeout: childTime,
		Env: proc.CleanEnv(b.Env, append([]string{"GOGC=off", "GOTRACEBACK=none"}, env...)...),
	})
}

// ask runs a child for trials that it must survive. It has one processor: then a
// goroutine that waits for another one to block does not overtake it. It returns the
// numbers of each printed line that begins with the trial's word.
func (b *bench) ask(ctx context.Context, env []string, word string, args ...any) ([][]float64, error) {
	res, err := b.child(ctx, append(env, "GOMAXPROCS=1"), args...)
	if err == nil {
		err = res.Err(fmt.Sprintf("trying %q", strings.TrimSpace(fmt.Sprintln(args...))))
	}
	if err != nil {
		return nil, err
	}
	got := numbers(string(res.Stderr), word)
	if len(got) == 0 {
		return nil, fmt.Errorf("trying %q: the program printed no line %q", strings.TrimSpace(fmt.Sprintln(args...)),
			word)
	}
	return got, nil
}

// numbers reads the lines "WORD n n ...". A line with anything else is skipped: a dying
// program's messages may be mixed with it.
func numbers(text, word string) [][]float64 {
	var out [][]float64
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, word+" ")
		if !ok || !strings.HasSuffix(rest, "\n") {
			continue
		}
		var row []float64
		for _, field := range strings.Fields(rest) {
			var v float64
			if _, err := fmt.Sscanf(field, "%g", &v); err != nil || fmt.Sprintf("%.0f", v) != field {
				row = nil
				break
			}
			row = append(row, v)
		}
		if row != nil {
			out = append(out, row)
		}
	}
	return out
}

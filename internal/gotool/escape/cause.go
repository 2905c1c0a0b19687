package escape

// A Cause is why something is allocated on the heap, in the terms in which it is
// cured. It is decided by Classify.
type Cause int

// The causes. Uncategorised is the zero value: an explanation that matches no rule.
const (
	Uncategorised   Cause = iota
	ReturnedPointer       // its address is returned
	Boxing                // a value is put into an interface
	FormatArgument        // an argument of fmt, log or a function like them
	ClosureCapture        // a function literal that outlives the function, or what it captures
	GoStatement           // what a go statement starts or captures
	DeferInLoop           // the record or function of a defer in a loop
	StoredPointer         // its address is stored in a global or a heap object
	MapPut                // its address is stored in a map, or is its key
	ChannelSend           // its address is sent on a channel
	IndirectCall          // handed to a function value or an interface's method
	Reflection            // handed to package reflect
	UnsafePointer         // its address becomes a number
	MethodValue           // a method is made a function with its receiver bound
	TooLarge              // larger, or stricter aligned, than the stack allows
	VariableMake          // a make whose size is not a constant
	AppendGrowth          // what append grows into
	SliceLiteral          // a slice literal that outlives the function
	MapLiteral            // a map, made by a literal or by make
	TextConversion        // string to bytes or runes, or back
	Concatenation         // strings put together
	OutlivesLoop          // its address is used after the iteration of a loop
	KeptParameter         // handed to a function that keeps its parameter: the caller's variable pays
	PanicArgument         // an argument of panic
	numCauses
)

// causeTexts holds, for each cause, its key (also in reports and JSON), the cause in
// plain words, and the usual fix.
var causeTexts = [numCauses][3]string{
	Uncategorised: {"uncategorised", "for a reason that memcost does not know", "read the flow"},
	ReturnedPointer: {"returned-pointer", "its address is returned",
		"return it by value, fill the caller's buffer, or make the constructor small enough to be inlined"},
	Boxing: {"boxing", "a value is put into an interface",
		"use the concrete type or a type parameter, or box a pointer that exists anyway"},
	FormatArgument: {"fmt", "it is an argument for formatting",
		"use strconv and Append functions; for log lines, ask for the level first"},
	ClosureCapture: {"closure", "a function literal outlives the function, or captures this by reference",
		"hand it to the function as an argument, or do not assign to it after the capture"},
	GoStatement: {"go-statement", "a go statement needs it after the function may have returned",
		"hand values to a goroutine that runs already"},
	DeferInLoop: {"defer-loop", "a defer in a loop has no place in the frame",
		"move the loop's body into a function of its own"},
	StoredPointer: {"store", "its address is stored in a global or in something on the heap",
		"store the value itself"},
	MapPut: {"map-put", "its address is stored in a map, as value or key",
		"use values and concrete keys in the map"},
	ChannelSend: {"channel-send", "its address is sent on a channel", "send the value"},
	IndirectCall: {"indirect-call", "it is handed to a function value or to an interface's method, which might " +
		"keep it", "call the concrete function, or build with a profile so that the compiler does (PGO)"},
	Reflection: {"reflect", "it is handed to reflection", "write the code for the type, or generate it"},
	UnsafePointer: {"unsafe", "its address becomes a number, which the compiler cannot follow",
		"hand over an unsafe.Pointer, or keep the variable alive elsewhere"},
	MethodValue: {"method-value", "a method value binds its receiver",
		"call the method directly, or pass the receiver"},
	TooLarge: {"too-large", "it is too large, or too strictly aligned, for the stack",
		"use a smaller block, an explicit array variable where its limit is higher, or keep one block for reuse"},
	VariableMake: {"variable-make", "its size is known only at run time",
		"take an array of the largest size, or hand a buffer in"},
	AppendGrowth: {"append-growth", "append makes a larger block when the old one is full",
		"make it with the capacity that measurements show"},
	SliceLiteral: {"slice-literal", "a slice literal outlives the function", "use an array, or make it once outside"},
	MapLiteral:   {"map-literal", "a new map outlives the function", "make it once outside, or use a switch"},
	TextConversion: {"text-conversion", "a conversion between string and bytes or runes copies the text",
		"stay with one of them: Append functions, a kept buffer"},
	Concatenation: {"concat", "a new string is made of several",
		"append to a kept buffer, or use a strings.Builder with Grow"},
	OutlivesLoop: {"outlives-loop", "its address outlives the turn of the loop in which it is declared",
		"declare it outside the loop, or keep a copy"},
	KeptParameter: {"leaking-param", "a function keeps this parameter, or hands it to one that does",
		"let that function copy what it keeps"},
	PanicArgument: {"panic", "it is the argument of a panic",
		"none needed: it costs nothing unless the program panics"},
}

// String returns the key of the cause: "returned-pointer".
func (c Cause) String() string { return c.text(0) }

// Words returns the cause as a plain clause: "its address is returned".
func (c Cause) Words() string { return c.text(1) }

// Fix returns the usual advice; its benefit has to be measured.
func (c Cause) Fix() string { return c.text(2) }

func (c Cause) text(i int) string {
	if c < 0 || c >= numCauses {
		c = Uncategorised
	}
	return causeTexts[c][i]
}

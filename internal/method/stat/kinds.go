// This part of the package tells what machines have in common from what one of them has: figures of boards that are
// nested in kinds of machines, the line through the kinds, and how far kinds, boards of one kind and samples of
// one board differ. It is pure.
//
// Boards of one kind share their processor, so that they are not independent of each other: ten of them are
// one kind, whose mean is known a little better.

package stat

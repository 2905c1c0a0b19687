// Package source knows what the sides of a comparison are made of: revisions of the user's git
// repository, Go versions, settings and build flags, and the folder in which the packages of each
// side lie.
package source

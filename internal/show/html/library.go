package html

import "fmt"

// Library returns a library that pages embed, or its licence. Pages that are not documents yet
// take it from here.
func Library(file string) (string, error) {
	b, err := assets.ReadFile("assets/" + file)
	if err != nil {
		return "", fmt.Errorf("reading the page's parts: %w", err)
	}
	return string(b), nil
}

package whypage

import (
	"embed"
	"fmt"
	"html/template"
)

//go:embed assets
var assets embed.FS

// Style returns the style of tables of sites, which the page of a comparison has, too. It needs
// the style of page.Shared.
func Style() (template.CSS, error) {
	style, err := assets.ReadFile("assets/why.css")
	if err != nil {
		return "", fmt.Errorf("reading the page's parts: %w", err)
	}
	return template.CSS(style), nil
}

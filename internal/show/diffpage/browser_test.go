package diffpage

import (
	"os"
	"testing"

	"memcost/internal/show/pagetest"
)

func TestMain(m *testing.M) { os.Exit(pagetest.Main(m)) }

// open shows a page whose scripts have run, in a window that has the focus.
func open(t testing.TB, html string) *pagetest.Tab {
	t.Helper()
	p := pagetest.Open(t, pagetest.Page{HTML: html, Focus: true})
	p.Check("the scripts run", `document.documentElement.dataset.ready === "true"`)
	return p
}

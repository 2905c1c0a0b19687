package arenas

import (
	"testing"
	"time"

	"memcost/internal/measure/plan"
)

// recorded is of glibc 2.36, of a program with two arenas.
const recorded = `<malloc version="1">
<heap nr="0">
<sizes>
  <size from="33" to="48" total="48" count="1"/>
  <unsorted from="4097" to="4097" total="4097" count="1"/>
</sizes>
<total type="fast" count="1" size="32"/>
<total type="rest" count="3" size="1000"/>
<system type="current" size="135168"/>
<system type="max" size="135168"/>
<aspace type="total" size="135168"/>
<aspace type="mprotect" size="135168"/>
</heap>
<heap nr="1">
<sizes>
</sizes>
<total type="fast" count="0" size="0"/>
<total type="rest" count="1" size="500"/>
<system type="current" size="4096"/>
<aspace type="subheaps" size="1"/>
</heap>
<total type="fast" count="1" size="32"/>
<total type="rest" count="4" size="1500"/>
<total type="mmap" count="2" size="8192"/>
<system type="current" size="139264"/>
<system type="max" size="139264"/>
</malloc>
trim 5000000 3000000 1500
`

func TestParse(t *testing.T) {
	a, err := parse(recorded)
	if err != nil {
		t.Fatal(err)
	}
	want := plan.Arenas{Processes: 1, Arenas: 2, System: 139264, Free: 1500, Fast: 32, Mapped: 8192, Before: 5000000, After: 3000000,
		Took: 1500 * time.Nanosecond}
	if *a != want || a.InUse() != 139264-1500-32+8192 {
		t.Errorf("%+v", *a)
	}
	if s := sum(a, a); s.Processes != 2 || s.Free != 3000 {
		t.Errorf("%+v", s)
	}
	for _, bad := range []string{"", recorded[:200], "<malloc></malloc>\n", "<malloc><heap></malloc>\ntrim 1 2 3\n"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

package result

import (
	"testing"

	"golang.org/x/perf/benchfmt"
)

func TestAdopt(t *testing.T) {
	for _, c := range []struct{ name, library, platform, want string }{
		{"Malloc/op=walk/size=4096/method=batch/setting=trim0", "/lib/libc.so.6", "Linux, glibc 2.36",
			"Malloc/allocator=glibc/setting=trim0/op=walk/size=4096/method=batch"},
		{"Malloc/op=walk/size=4096/method=batch/setting=mlock-mmap0/manual_time", "/usr/lib/libjemalloc.so.2",
			"Linux, glibc 2.36", "Malloc/allocator=jemalloc/setting=lock-mmap0/op=walk/size=4096/method=batch"},
		{"Malloc/op=walk/size=4096/method=batch/setting=default", "static (Linux, musl)", "Linux, musl",
			"Malloc/allocator=musl/setting=default/op=walk/size=4096/method=batch"},
		{"Malloc/op=walk/size=4096/method=batch/setting=default", "libc.so", "QNX 7.1, aarch64",
			"Malloc/allocator=qnx-7.1/setting=default/op=walk/size=4096/method=batch"},
		{"Malloc/op=walk/size=4096/method=batch", "libc.so", "QNX", ""},                // without a setting
		{"Malloc/op=walk/size=4096/method=batch/setting=default", "", "Linux", ""},     // of another program
		{"Other/op=walk/size=4096/method=batch/setting=default", "libc.so", "QNX", ""}, // of another study
	} {
		r := &benchfmt.Result{Name: benchfmt.Name(c.name)}
		r.SetConfig("malloc_library", c.library)
		r.SetConfig("platform", c.platform)
		if got := Adopt(r); got != (c.want != "") {
			t.Errorf("%s of %s: %v", c.name, c.library, got)
			continue
		}
		want := c.want
		if want == "" {
			want = c.name
		}
		if string(r.Name) != want {
			t.Errorf("%s of %s became %s, want %s", c.name, c.library, r.Name, want)
		}
	}
}

func TestBare(t *testing.T) {
	for name, want := range map[string]string{
		"Malloc/allocator=glibc/setting=trim0/op=walk/size=4096": "Malloc/op=walk/size=4096",
		"Malloc/op=walk/size=4096":                               "Malloc/op=walk/size=4096",
	} {
		if got := Bare(benchfmt.Name(name)); string(got) != want {
			t.Errorf("%s became %s", name, got)
		}
	}
}

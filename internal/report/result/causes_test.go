package result

import (
	"fmt"
	"testing"
)

func TestCauses(t *testing.T) {
	s := &Study{}
	for i := range 5 {
		for _, setting := range []string{"lock", "rt"} {
			name := fmt.Sprintf("Malloc/setting=%s/size=%d", setting, 1<<i)
			s.Cases = append(s.Cases, Case{Name: name, Side: "g++",
				Failed: fmt.Sprintf("died of SIGSEGV (logs/%s.txt)", name)})
		}
		s.Cases = append(s.Cases, Case{Name: fmt.Sprintf("Malloc/setting=far/size=%d", 1<<i), Side: "g++",
			Invalid: []string{fmt.Sprintf("%d bytes too few", 100+i)}})
	}
	s.Cases = append(s.Cases, Case{Name: "Malloc/one", Side: "g++", Failed: "exit status 3"})
	for _, c := range []struct {
		each bool
		want []string
	}{
		{false, []string{
			"10 failed 10 cases, Malloc/setting=lock,rt on g++: died of SIGSEGV",
			"5 INVALID 5 cases, Malloc/setting=far on g++: 100 bytes too few (as an example)",
			"1 failed Malloc/one on g++: exit status 3",
		}},
		{true, []string{
			"10 failed 10 cases, Malloc/setting=lock,rt on g++: died of SIGSEGV",
			"1 INVALID Malloc/setting=far/size=1 on g++: 100 bytes too few",
			"1 INVALID Malloc/setting=far/size=2 on g++: 101 bytes too few",
		}},
	} {
		got := s.Causes(c.each)
		for i, want := range c.want {
			if is := fmt.Sprint(got[i].Count, " ", got[i].Kind, " ", got[i]); is != want {
				t.Errorf("each %v: cause %d is %q, want %q", c.each, i, is, want)
			}
		}
	}
}

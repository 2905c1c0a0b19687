package language

import "testing"

// Run folders from before study.toml say in the prose of a claim what attributes say now,
// and hold the question and the tables as directives.
func TestOldRunFolder(t *testing.T) {
	ds := []Directive{
		directive("//memcost:question What does it cost?", ""),
		directive("//memcost:claim A place:heap / place:stack > 1 # ours: faster than a pool", "Smaug"),
		directive("//memcost:claim B place:heap B/op > 1 # and halves the bytes", "Smaug"),
		directive("//memcost:claim C place:heap B/op > 1 # about 8 times (published: 7.91)", "Smaug"),
		directive("//memcost:claim D place:heap B/op > 1 # copies run at 10 GB/s (published for the M1 Max)", "Smaug"),
		directive("//memcost:claim E place:heap B/op > 1 # ours: and that makes it faster", "Smaug"),
		directive("//memcost:table T by size: stack = place:stack | floor = place:none", "Smaug"),
	}
	s, err := Parse("s", ds, nil)
	if err != nil {
		t.Fatal(err)
	}
	type claim struct {
		prose, published string
		own, goesOn      bool
	}
	for i, want := range []claim{
		{"faster than a pool", "", true, false},
		{"and halves the bytes", "", false, true},
		{"about 8 times", "7.91", false, false},
		{"copies run at 10 GB/s", "for the M1 Max", false, false},
		{"and that makes it faster", "", true, true},
	} {
		c := s.Claims[i]
		if got := (claim{c.Prose, c.Published, c.Own, c.GoesOn}); got != want {
			t.Errorf("%s: %+v, want %+v", c.ID, got, want)
		}
	}
	if s.Question != "What does it cost?" || len(s.Tables) != 1 || !s.Tables[0].Columns[1].Floor {
		t.Errorf("%+v", s)
	}
	if a, b := s.Sides(s.Claims[0].Num, s.Claims[0].Den); a != "heap" || b != "stack" {
		t.Errorf("the sides are %s and %s", a, b)
	}

	// Of today's, the prose is what it is, and what is shown stands elsewhere.
	s, err = Parse("s", ds, &Show{})
	if err == nil || len(s.Claims) != 5 || s.Claims[0].Own || s.Claims[0].Prose != "ours: faster than a pool" ||
		s.Question != "" || len(s.Tables) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

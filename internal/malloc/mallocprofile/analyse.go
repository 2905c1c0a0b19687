package mallocprofile

// Analyse says what the profiles of a program mean. There is at least one profile.
func Analyse(run Run, all Processes) *Use {
	u := &Use{Command: run.Command, Ended: run.Ended, Wall: run.Wall, CPU: run.CPU, Faults: run.Faults,
		Processes: len(all.Profiles), Missing: all.Missing, Profile: all.Profiles[0], Share: 1}
	for _, p := range all.Profiles {
		u.Calls += p.AllCalls()
	}
	if u.Calls > 0 {
		u.Share = float64(u.AllCalls()) / float64(u.Calls)
	}
	if s := run.CPU.Seconds(); s > 0 {
		u.Rate = float64(u.Calls) / s
	}
	u.Headline = headline(u)
	u.Findings = findings(u, run)
	return u
}

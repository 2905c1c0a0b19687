package machine

import "fmt"

// minUnits is how many units of a kind a probe needs for its 5% tails to hold five
// of them.
const minUnits = 100

// assessNoise judges how many units were disturbed. The steps 1, 5 and 20% of units
// more than 10% slow are a convention: at 1% a 100 ms sample of 100 units has one
// such, moving it by about a thousandth; at 20% the disturbance is the rule.
func assessNoise(name, what string, u Unit) Finding {
	if u.Count < minUnits {
		return Finding{Name: name, Detail: fmt.Sprintf("%d units measured, %d are needed", u.Count, minUnits)}
	}
	f := Finding{Name: name, Level: OK}
	f.Value = fmt.Sprintf("%.2g%% of %.2g ms units %s are more than 10%% slow, %.2g%% more than 50%%",
		100*u.Slow10Share, 1e3*u.MedianSeconds, what, 100*u.Slow50Share)
	f.Detail = fmt.Sprintf("p5 to p95 spread %.2g%% of the median, longest interruption %.2g ms", 100*u.Spread,
		1e3*u.LongestGapSeconds)
	const hint = "stop other programs, pin the run to quiet CPUs (taskset -c), or expect more rounds"
	switch {
	case u.Slow10Share >= 0.20:
		f.Level, f.Hint = Bad, hint
	case u.Slow10Share >= 0.05:
		f.Level, f.Hint = Warn, hint
	case u.Slow10Share >= 0.01:
		f.Level = Note
	}
	return f
}

// assessDrift looks for noise that comes in stretches, which is what makes samples
// taken one arm after the other disagree and rounds necessary. Of independent units
// the autocorrelation is within ±2/√n in 95 of 100 cases; half is far outside at
// any n that is accepted.
func assessDrift(p Probe) Finding {
	worst := max(p.CPU.Lag1, p.Memory.Lag1)
	f := Finding{Name: "drift", Level: OK, Value: fmt.Sprintf("lag-1 autocorrelation %.2f (arithmetic), %.2f (copying)",
		p.CPU.Lag1, p.Memory.Lag1)}
	switch {
	case min(p.CPU.Count, p.Memory.Count) < minUnits:
		return Finding{Name: f.Name, Detail: "too few units measured"}
	case worst > 0.5:
		f.Level, f.Detail = Note, "the speed changes in stretches of time: sequential runs will disagree, "+
			"interleaved rounds will not"
	default:
		f.Detail = "units are nearly independent of their neighbours"
	}
	return f
}

// assessSteal takes 1% of a CPU as the least that ticks of 10 ms show in a second.
func assessSteal(p Probe) Finding {
	if p.StealShare == nil {
		return Finding{Name: "steal", Detail: "the machine does not count stolen time"}
	}
	f := Finding{Name: "steal", Level: OK, Value: fmt.Sprintf("%.1f%% of a CPU", 100**p.StealShare),
		Detail: "the hypervisor took no time away while measuring"}
	if *p.StealShare > 0.01 {
		f.Level, f.Detail = Warn, "the hypervisor gave time to other machines while measuring"
		if *p.StealShare > 0.10 {
			f.Level = Bad
		}
		f.Hint = "another instance type, a dedicated host, or a quieter hour"
	}
	return f
}

func assessForeign(p Probe) Finding {
	if p.ForeignShare == nil {
		return Finding{Name: "foreign-cpu", Detail: "the machine does not count busy time"}
	}
	f := Finding{Name: "foreign-cpu", Level: OK, Value: fmt.Sprintf("%.1f%% of a CPU", 100**p.ForeignShare),
		Detail: "other programs were quiet while measuring"}
	if *p.ForeignShare > 0.10 {
		f.Level, f.Detail = Warn, "other programs ran while measuring"
		f.Hint = "see which programs: top -o %CPU"
	}
	return f
}

// assessTimer wants a clock that does not show in the shortest thing timed with it,
// a unit or a sample of some milliseconds: a microsecond is 0.1% of one.
func assessTimer(p Probe) Finding {
	if p.TimerCostSeconds <= 0 {
		return Finding{Name: "timer", Detail: "not measured"}
	}
	f := Finding{Name: "timer", Level: OK, Value: fmt.Sprintf("%.3g ns a reading, steps of %.3g ns",
		1e9*p.TimerCostSeconds, 1e9*p.TimerResolutionSeconds),
		Detail: "the clock has small steps and is cheap to read"}
	if p.TimerCostSeconds > 1e-6 || p.TimerResolutionSeconds > 1e-6 || p.TimerResolutionSeconds == 0 {
		f.Level, f.Detail = Warn, "the clock is slow or coarse: StopTimer and short samples are unreliable"
		f.Hint = "on Linux: cat /sys/devices/system/clocksource/clocksource0/current_clocksource; tsc is the fast " +
			"one on x86"
	}
	return f
}

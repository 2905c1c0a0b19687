package machine

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// readCgroup reads the process's CPU and memory limits: the tightest of its group and
// all parents that can be seen. It returns the quota of its own group too.
func readCgroup(t tree, fp *Fingerprint, pfs procfs.FS, self procfs.Proc) (leafQuota float64) {
	groups, err := self.Cgroups()
	var mounts []*procfs.MountInfo
	if err == nil {
		mounts, err = pfs.GetMounts()
	}
	if err != nil {
		fp.note("cgroupCPUQuota", "finding the cgroup: %s", t.relative(err))
		fp.note("cgroupMemoryBytes", "finding the cgroup: %s", t.relative(err))
		return 0
	}
	dirs, v2, err := cgroupDirs(groups, mounts, "cpu")
	if err != nil {
		fp.note("cgroupCPUQuota", "%v", err)
	}
	for i, dir := range dirs {
		quota := t.cpuQuota(dir, v2)
		if i == 0 {
			leafQuota = quota
		}
		if quota > 0 && (fp.CgroupCPUQuota == 0 || quota < fp.CgroupCPUQuota) {
			fp.CgroupCPUQuota = quota
		}
	}
	dirs, v2, err = cgroupDirs(groups, mounts, "memory")
	if err != nil {
		fp.note("cgroupMemoryBytes", "%v", err)
	}
	for _, dir := range dirs {
		file := "/memory.limit_in_bytes"
		if v2 {
			file = "/memory.max"
		}
		// Version 1 writes "no limit" as a number near 2^63.
		n, err := strconv.ParseInt(t.get(dir+file), 10, 64)
		if err == nil && n > 0 && n < 1<<62 && (fp.CgroupMemoryBytes == 0 || n < fp.CgroupMemoryBytes) {
			fp.CgroupMemoryBytes = n
		}
	}
	return leafQuota
}

// cpuQuota gives CPUs' worth of time per period, or 0 for no limit or no file (the
// root group has none).
func (t tree) cpuQuota(dir string, v2 bool) float64 {
	quota, period := t.get(dir+"/cpu.cfs_quota_us"), t.get(dir+"/cpu.cfs_period_us")
	if v2 {
		quota, period, _ = strings.Cut(t.get(dir+"/cpu.max"), " ")
	}
	q, err := strconv.ParseInt(quota, 10, 64)
	if err != nil || q <= 0 { // "max", "-1"
		return 0
	}
	p, err := strconv.ParseInt(period, 10, 64)
	if err != nil || p <= 0 {
		return 0
	}
	return float64(q) / float64(p)
}

// cgroupDirs finds the directories, in the tree, of the process's group for a
// controller and of its parents, the group itself first. As in the kernel, a
// version 1 hierarchy that has the controller wins over version 2.
func cgroupDirs(groups []procfs.Cgroup, mounts []*procfs.MountInfo, controller string) (dirs []string, v2 bool,
	err error) {
	group := -1
	for i, g := range groups {
		if slices.Contains(g.Controllers, controller) {
			group, v2 = i, false
			break
		}
		if g.HierarchyID == 0 {
			group, v2 = i, true
		}
	}
	if group < 0 {
		return nil, false, fmt.Errorf("the process is in no cgroup with the controller %s", controller)
	}
	for _, m := range mounts {
		_, has := m.SuperOptions[controller]
		if v2 && m.FSType != "cgroup2" || !v2 && (m.FSType != "cgroup" || !has) {
			continue
		}
		// The group's path counts from the hierarchy's root, of which a container may
		// have mounted only a part. Where the path lies outside that part, the top of
		// the mount is the closest group that can be read.
		rel, ok := strings.CutPrefix(path.Clean("/"+groups[group].Path), path.Clean(m.Root))
		if !ok {
			rel = "/"
		}
		for rel = path.Clean("/" + rel); ; rel = path.Dir(rel) {
			dirs = append(dirs, strings.TrimPrefix(path.Join(m.MountPoint, rel), "/"))
			if rel == "/" {
				return dirs, v2, nil
			}
		}
	}
	return nil, v2, fmt.Errorf("no cgroup file system with the controller %s is mounted", controller)
}

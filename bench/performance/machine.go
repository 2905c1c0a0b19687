package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/machine"
)

// describeMachine prints what the figures were taken on, when, and with what.
func (b *bench) describeMachine(ctx context.Context) error {
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return fmt.Errorf("reading what this machine is: %w", err)
	}
	goVersion, err := b.do(ctx, proc.Cmd{Path: "go", Args: []string{"version"}})
	if err != nil {
		return err
	}
	b.printf("%s, %s; %s\n\n", time.Now().UTC().Format("2006-01-02 15:04 UTC"),
		strings.TrimPrefix(strings.TrimSpace(string(goVersion.Stdout)), "go version "), b.revision(ctx))
	b.printf("%s\n", describe(fp))
	if b.scale < 1 {
		b.printf("\n**A trial at scale %v: too few repetitions for the figures to be quoted.**\n", b.scale)
	}
	return nil
}

// describe returns a machine in one paragraph.
func describe(fp machine.Fingerprint) string {
	words := []string{fmt.Sprintf("%s, %d CPUs", fp.CPUModel, fp.CPUs)}
	if fp.CgroupCPUQuota > 0 {
		words = append(words, fmt.Sprintf("of which %.2g may be used", fp.CgroupCPUQuota))
	}
	words = append(words, size(float64(fp.MemoryBytes))+" of memory", fp.OS+" "+fp.Kernel)
	if fp.Virtualization != "none" && fp.Virtualization != "" {
		words = append(words, "virtual ("+fp.Virtualization+")")
	}
	if fp.Governor != "" {
		words = append(words, "governor "+fp.Governor)
	}
	if fp.THP != "" {
		words = append(words, "transparent huge pages "+fp.THP)
	}
	return strings.Join(append(words, fmt.Sprintf("load %.2f at the start", fp.Load1)), "; ")
}

// revision returns the current commit; the code may also be no checkout of git's.
func (b *bench) revision(ctx context.Context) string {
	head, err := b.do(ctx, proc.Cmd{Path: "git", Args: []string{"rev-parse", "--short=12", "HEAD"}})
	if err != nil {
		return "memcost of no known revision"
	}
	text := "memcost at " + strings.TrimSpace(string(head.Stdout))
	if changes, err := b.do(ctx, proc.Cmd{Path: "git", Args: []string{"status", "--porcelain"}}); err != nil ||
		len(changes.Stdout) > 0 {
		text += " with changes"
	}
	return text
}

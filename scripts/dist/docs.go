package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra/doc"

	"memcost/internal/cli"
)

// writeDocs writes the man pages and the completions of the shells, made from the
// commands, where the shells and man look for them below a prefix.
func writeDocs(dir, version string, date time.Time) error {
	root := cli.Commands()
	root.DisableAutoGenTag = true // a date of its own
	man := filepath.Join(dir, "share", "man", "man1")
	if err := os.MkdirAll(man, 0o777); err != nil {
		return err
	}
	header := &doc.GenManHeader{Section: "1", Source: "memcost " + version, Manual: "memcost", Date: &date}
	if err := doc.GenManTree(root, header, man); err != nil {
		return fmt.Errorf("writing the man pages: %w", err)
	}
	for _, c := range []struct {
		path  string
		write func(path string) error
	}{
		{"bash-completion/completions/memcost", func(path string) error {
			return root.GenBashCompletionFileV2(path, true)
		}},
		{"zsh/site-functions/_memcost", root.GenZshCompletionFile},
		{"fish/vendor_completions.d/memcost.fish", func(path string) error {
			return root.GenFishCompletionFile(path, true)
		}},
		{"powershell/memcost.ps1", root.GenPowerShellCompletionFileWithDesc},
	} {
		path := filepath.Join(dir, "share", filepath.FromSlash(c.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := c.write(path); err != nil {
			return fmt.Errorf("writing the completion %s: %w", c.path, err)
		}
	}
	return nil
}

package watch

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"memcost/internal/base/hint"
)

// SocketVar is the variable in which a program that is watched has the address of its watcher, and socketName
// what that is called in a run folder.
const (
	SocketVar  = "MEMCOST_HELD"
	socketName = "mark.sock"
)

// A Board takes the marks that processes set, over a socket that nobody but its user may open.
type Board struct {
	Path string

	listener net.Listener
	dir      string // was made for the socket alone
	mu       sync.Mutex
	now      *Watcher // that runs; nil where none does
}

// mostPath is the longest name of a socket: see unix(7).
const mostPath = 90

// NewBoard makes the socket in a run folder; in one of its own where there is none, or its name is too long. The
// caller closes it.
func NewBoard(dir string) (*Board, error) {
	b := &Board{}
	path, err := "", error(nil)
	if dir != "" {
		if path, err = filepath.Abs(filepath.Join(dir, socketName)); err != nil {
			return nil, err
		}
	}
	if path == "" || len(path) > mostPath {
		if b.dir, err = os.MkdirTemp("", "memcost-held-"); err != nil {
			return nil, fmt.Errorf("making a folder for the socket that takes marks: %w", err)
		}
		path = filepath.Join(b.dir, socketName)
	} else if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		os.Remove(path) // of a memcost that was killed: the folder is locked
	}
	if b.listener, err = listen(path); err != nil {
		return nil, fmt.Errorf("making the socket that takes marks: %w", err)
	}
	b.Path = path
	go b.serve()
	return b, nil
}

// Watch has marks go to a watcher; to none with nil.
func (b *Board) Watch(w *Watcher) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = w
}

// Close removes the socket.
func (b *Board) Close() {
	b.listener.Close()
	os.Remove(b.Path)
	if b.dir != "" {
		os.RemoveAll(b.dir)
	}
}

// The answers to a mark.
const (
	taken   = "ok"
	nothing = "nothing is measured there now"
)

func (b *Board) serve() {
	for {
		c, err := b.listener.Accept()
		if err != nil {
			return
		}
		go b.take(c)
	}
}

// answerTime bounds how long either side waits for the other.
const answerTime = 5 * time.Second

func (b *Board) take(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(answerTime))
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		answer := nothing
		name, err := MarkName(lines.Text())
		b.mu.Lock()
		switch {
		case err != nil:
			answer = err.Error()
		case b.now != nil:
			b.now.Mark(name)
			answer = taken
		}
		b.mu.Unlock()
		fmt.Fprintln(c, answer)
	}
}

// mostName is the longest name of a mark.
const mostName = 40

// MarkName checks the name of a mark.
func MarkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	for _, r := range name {
		if r < ' ' || r == 0x7f {
			return "", hint.Usage("for example: memcost held mark loaded", "the name of a mark is one line of text")
		}
	}
	if name == "" || len(name) > mostName {
		return "", hint.Usage("for example: memcost held mark loaded", "the name of a mark has 1 to %d characters", mostName)
	}
	return name, nil
}

// Send sets a mark: in the run of a folder; of "" in the run that this process belongs to.
func Send(dir, name string) error {
	name, err := MarkName(name)
	if err != nil {
		return err
	}
	path := os.Getenv(SocketVar)
	if dir != "" {
		path = filepath.Join(dir, socketName)
	}
	if path == "" {
		return hint.Usage("name the run folder: memcost held mark "+name+" --in results/20261121-101530-myhost",
			"no memcost held started this process (%s is not set)", SocketVar)
	}
	c, err := dial(path)
	if err != nil {
		return hint.With("it is there while memcost held runs", fmt.Errorf("setting the mark %q: %w", name, err))
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(answerTime))
	if _, err := fmt.Fprintln(c, name); err != nil {
		return fmt.Errorf("setting the mark %q: %w", name, err)
	}
	answer, err := bufio.NewReader(c).ReadString('\n')
	if answer = strings.TrimSpace(answer); err == nil && answer != taken {
		err = errors.New(answer)
	}
	if err != nil {
		return fmt.Errorf("setting the mark %q: %w", name, err)
	}
	return nil
}

// listen makes a socket that its user alone may open, from the first instant on: the folder of a run may be one
// that others enter.
func listen(path string) (net.Listener, error) {
	private, err := os.MkdirTemp(filepath.Dir(path), "m") // 0700
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(private)
	made := filepath.Join(private, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: made, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // by then it has its other name
	if err := errors.Join(os.Chmod(made, 0o600), os.Rename(made, path)); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// dial connects; a path that is too long for a socket is reached from its folder's side.
func dial(path string) (net.Conn, error) {
	if len(path) <= mostPath {
		return net.DialTimeout("unix", path, answerTime)
	}
	return nil, hint.New("set marks from the program itself, which has "+SocketVar, "the name %s is too long for a socket", path)
}

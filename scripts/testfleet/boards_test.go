package testfleet

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// sshdConf is a real sshd on a port of the board.
const sshdConf = `Port %d
ListenAddress 127.0.0.1
HostKey %s/host
PidFile none
AuthorizedKeysFile %s/authorized
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
SetEnv PATH=%s
`

// firstPort is that of the first board.
const firstPort = 17911

// A shelf is three boards behind ssh. The home of a board is its own, its caches are this machine's:
// what is built is the same.
type shelf struct {
	*site
	env    []string
	boards map[string]*node
}

func startShelf(t *testing.T, s *site) *shelf {
	t.Helper()
	x := &shelf{s, []string{"PARALLEL_SSH=ssh -F " + s.at("ssh.conf")}, map[string]*node{}}
	s.must(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.at("key"))
	s.must(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.at("host"))
	s.must(t, "cp", s.at("key.pub"), s.at("authorized"))
	conf := fmt.Sprintf("Host *\nHostName 127.0.0.1\nUser root\nIdentityFile %s\nUserKnownHostsFile /dev/null\n"+
		"StrictHostKeyChecking no\nLogLevel ERROR\n", s.at("key"))
	for i := range 3 {
		conf += fmt.Sprintf("Host board%d\nPort %d\n", i+1, firstPort+i)
		sshd := fmt.Sprintf(sshdConf, firstPort+i, s.dir, s.dir, os.Getenv("PATH"))
		if err := os.WriteFile(s.at(fmt.Sprintf("sshd%d.conf", i+1)), []byte(sshd), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(s.at("ssh.conf"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		x.up(t, i+1)
	}
	return x
}

// up starts a board, and waits until it can be reached.
func (x *shelf) up(t *testing.T, i int) {
	t.Helper()
	name := fmt.Sprintf("board%d", i)
	mounts := fmt.Sprintf(`home=%s; mkdir -p $home /run/sshd
for d in .cache go; do [ ! -d ~/$d ] || { mkdir -p $home/$d; mount --bind ~/$d $home/$d; }; done
mount --rbind $home ~`, x.at("home-"+name))
	x.boards[name] = x.startNode(t, name, mounts, "/usr/sbin/sshd -D -f "+x.at(fmt.Sprintf("sshd%d.conf", i)))
	await(t, name+" answers", func() bool {
		out, _, _ := x.run(nil, "ssh", "-F", x.at("ssh.conf"), name, "hostname")
		return strings.TrimSpace(out) == name
	})
}

func (x *shelf) list(t *testing.T, names ...string) string {
	t.Helper()
	file := x.at("boards.txt")
	if err := os.WriteFile(file, []byte(strings.Join(names, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func testBoards(t *testing.T, s *site) {
	x := startShelf(t, s)
	where := s.at("ssh-place")
	submit := func(file string) []string {
		return []string{"submit", s.planFile, "--on", "ssh:" + file, "--to", where}
	}
	go func() { // the power of a board fails in the middle
		for t.Context().Err() == nil && measuring(x.at("home-board3/memcost-jobs/results"), "board3", 10) == nil {
			time.Sleep(100 * time.Millisecond)
		}
		x.boards["board3"].kill()
	}()
	x.fails(t, x.env, "1 board of 3 did not measure all shards", submit(x.list(t, "board1", "board2", "board3"))...)
	done := map[string]int{}
	for _, m := range x.status(t, nil, where).Machines {
		done[m.Host] = len(m.Done)
	}
	if fmt.Sprint(done) != "map[board1:1 board2:1 board3:0]" {
		t.Errorf("after board3 failed: %v; its part is nobody else's", done)
	}
	for i, f := range x.joined(t, where) {
		for _, name := range f.names() {
			if n := len(f.samples[name]); n != rounds {
				t.Errorf("board %d has %d rounds of %s, and the plan has %d", i, n, name, rounds)
			}
		}
	}
	x.up(t, 3)
	x.mustEnv(t, x.env, x.memcost, submit(x.list(t, "board3"))...)
	sets := x.joined(t, where)
	if len(sets) != 3 {
		t.Errorf("%d data sets of three boards", len(sets))
	}
	x.likeUnbroken(t, sets)
}

package proc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A wire is one end of the connection with a launcher: a stream of frames, each of which has its
// length in front, in four bytes. It blocks, and is closed by shutdown.
type wire int

// mostWire is the largest frame that is believed: Linux has no arguments and environments of more
// than 6 MiB.
const mostWire = 16 << 20

// send sends a frame, with files to go along.
func (w wire) send(body []byte, files ...int) error {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	var rights []byte
	if len(files) > 0 {
		rights = unix.UnixRights(files...)
	}
	for _, part := range [][]byte{head, body} {
		for len(part) > 0 {
			n, err := unix.SendmsgN(int(w), part, rights, nil, unix.MSG_NOSIGNAL)
			if err == unix.EINTR {
				continue
			}
			if err != nil {
				return err
			}
			part, rights = part[n:], nil
		}
	}
	return nil
}

// receive returns the next frame, and the files that came along; io.EOF where the other end is
// closed.
func (w wire) receive() (body []byte, files []int, err error) {
	head := make([]byte, 4)
	if files, err = w.fill(head); err != nil {
		return nil, files, err
	}
	n := binary.LittleEndian.Uint32(head)
	if n > mostWire {
		return nil, files, fmt.Errorf("a frame of %d bytes", n)
	}
	body = make([]byte, n)
	_, err = w.fill(body)
	return body, files, err
}

func (w wire) fill(b []byte) (files []int, err error) {
	rights := make([]byte, unix.CmsgSpace(8*4))
	for len(b) > 0 {
		n, more, _, _, err := unix.Recvmsg(int(w), b, rights, unix.MSG_CMSG_CLOEXEC)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return files, err
		case n == 0:
			return files, io.EOF
		}
		b = b[n:]
		came, err := unix.ParseSocketControlMessage(rights[:more])
		if err != nil {
			return files, err
		}
		for i := range came {
			fds, err := unix.ParseUnixRights(&came[i])
			if err != nil {
				return files, err
			}
			files = append(files, fds...)
		}
	}
	return files, nil
}

// A request is what a launcher is to start; its files are the standard ones.
type request struct {
	path, dir string
	tell      bool     // when it has been started
	args, env []string // args without the program's name
	watch     bool     // what it and its descendants have together is looked at while it runs
}

// bytes returns the frame of a request, whose words have a NUL between them, which none of them can hold.
// It has more than one byte: an empty frame kills what runs, and one of a single byte asks it to end.
func (q request) bytes() []byte {
	words := slices.Concat([]string{q.path, q.dir, strconv.FormatBool(q.tell), strconv.FormatBool(q.watch),
		strconv.Itoa(len(q.args))}, q.args, q.env)
	return []byte(strings.Join(words, "\x00"))
}

var errFrame = errors.New("a damaged frame")

func readRequest(b []byte) (request, error) {
	words := strings.Split(string(b), "\x00")
	if len(words) < 5 {
		return request{}, errFrame
	}
	args, err := strconv.Atoi(words[4])
	if err != nil || args < 0 || len(words) < 5+args {
		return request{}, errFrame
	}
	return request{path: words[0], dir: words[1], tell: words[2] == "true", watch: words[3] == "true",
		args: words[5 : 5+args], env: words[5+args:]}, nil
}

// A reply is how a process ended.
type reply struct {
	Status        int64 // as wait4 gives it
	Wall          int64 // nanoseconds from before its start to its end
	User, Sys     int64 // nanoseconds
	MaxRSS, Floor int64 // KiB
	Minor, Major  int64
	Own, Forced   int64 // context switches
	Errno         int64 // why it was not started, else 0
	Left          int64 // daemons that were stopped at its end

	Processes, Sum, Largest int64 // when it and its descendants had most together, in bytes; 0 where nobody looked
	PID                     int64 // of a process that was just started: the rest is not known yet
}

// result returns what a Runner says of such an end.
func (r reply) result() Result {
	status := syscall.WaitStatus(r.Status)
	res := Result{Wall: time.Duration(r.Wall), ExitCode: status.ExitStatus(), Daemons: int(r.Left),
		Together: Together{Processes: int(r.Processes), Sum: r.Sum, Largest: r.Largest}}
	if status.Signaled() {
		res.ExitCode, res.Signal = -1, unix.SignalName(status.Signal())
	}
	res.Usage = Usage{User: time.Duration(r.User), Sys: time.Duration(r.Sys),
		MaxRSS: r.MaxRSS * rssUnit(), MaxRSSFloor: r.Floor * rssUnit(), MinorFaults: r.Minor, MajorFaults: r.Major,
		VoluntarySwitches: r.Own, InvoluntarySwitches: r.Forced}
	return res
}

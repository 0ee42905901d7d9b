package measure

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// scheduler watches how Linux shares out processors to the threads of this process.
type scheduler struct {
	stats map[int]int // file descriptors of /proc/self/task/THREAD/schedstat
	text  [128]byte
}

func newScheduler() *scheduler { return &scheduler{stats: map[int]int{}} }

// refresh takes note of threads that are new.
func (s *scheduler) refresh() {
	tasks, _ := os.ReadDir("/proc/self/task") // without it nothing is known, and samples count as they are
	for _, task := range tasks {
		thread, err := strconv.Atoi(task.Name())
		if _, known := s.stats[thread]; err != nil || known {
			continue
		}
		if fd, err := unix.Open("/proc/self/task/"+task.Name()+"/schedstat", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
			s.stats[thread] = fd
		}
	}
}

// observe looks at all threads.
func (s *scheduler) observe() observation {
	o := observation{thread: unix.Gettid()}
	for thread, fd := range s.stats {
		n, err := unix.Pread(fd, s.text[:], 0)
		if err != nil { // the thread has ended
			unix.Close(fd)
			delete(s.stats, thread)
			continue
		}
		if fields := bytes.Fields(s.text[:n]); len(fields) > 1 { // time run, time waited, time slices
			waited, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			o.waitedAll += waited
			if thread == o.thread {
				o.waited = waited
			}
		}
	}
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) == nil {
		o.preempted = int64(u.Nivcsw)
	}
	return o
}

func (s *scheduler) close() {
	for _, fd := range s.stats {
		unix.Close(fd)
	}
}

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package cpu

import "syscall"

// obtainable reports whether the operating system would map size bytes more.
func obtainable(size int) bool {
	mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false
	}
	return syscall.Munmap(mem) == nil
}

package ascend

import (
	"sync"

	"github.com/pullback-go/pullback/device/ascend/acl"
)

// library is a set of CANN libraries. They are initialised once for the process,
// so the devices that use them are counted.
type library struct {
	*acl.Library
	users int
}

// libraries holds those that are loaded, by the address of aclInit, as several paths
// may lead to one. CANN's libraries cannot be unloaded.
var libraries = struct {
	sync.Mutex
	byInit map[uintptr]*library
}{byInit: map[uintptr]*library{}}

// acquire loads and initialises the libraries at the path, "" for those that the
// environment names. It must run on the thread that will use them.
func acquire(path string) (*library, error) {
	libraries.Lock()
	defer libraries.Unlock()
	loaded, err := acl.Load(path)
	if err != nil {
		return nil, err
	}
	aclInit, _ := loaded.Symbol("aclInit") // Load refuses a library without it
	l := libraries.byInit[aclInit]
	if l == nil {
		l = &library{Library: loaded}
		libraries.byInit[aclInit] = l
	}
	if l.users == 0 {
		if err := l.Init(); err != nil {
			return nil, err
		}
	}
	l.users++
	return l, nil
}

// release ends the use of the libraries. The last user's finalises them.
func (l *library) release() error {
	libraries.Lock()
	defer libraries.Unlock()
	if l.users--; l.users > 0 {
		return nil
	}
	return l.Finalize()
}

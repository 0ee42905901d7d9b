package acl

// Path returns the file of the run-time library.
func (l *Library) Path() string { return l.path }

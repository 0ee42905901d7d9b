package device

// WithoutDrivers calls f while no driver is registered.
func WithoutDrivers(f func()) {
	registry.Lock()
	drivers := registry.drivers
	registry.drivers = map[string]func(Name) (Device, error){}
	registry.Unlock()
	defer func() {
		registry.Lock()
		registry.drivers = drivers
		registry.Unlock()
	}()
	f()
}

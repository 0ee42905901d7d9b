package dataset

// Strings returns the values of a column as texts, "" where one is missing.
func (f *Frame) Strings(name string) ([]string, error) {
	c, err := f.find(name)
	if err != nil {
		return nil, err
	}
	values := make([]string, f.Rows())
	for i := range values {
		values[i] = c.text(f.row(i))
	}
	return values, nil
}

package device

// Dropout: out = self / (1 - P) where [DropoutRandom] of key and the element's
// row-major index is at least P, else 0 (inverted dropout, Srivastava et al.,
// 2014). key holds two integers in [0, 2^24) as float32, so that the mask depends on
// nothing but the key and is the same on every device. Dropout is linear in self: its
// gradient is Dropout with the same key.
type Dropout struct{ P float64 }

func (Dropout) Name() string   { return "Dropout" }
func (Dropout) args() []string { return []string{"self", "key"} }
func (Dropout) Elementwise()   {}

// Infer takes self of any type and key float32[2], and refuses P outside [0, 1).
func (op Dropout) Infer(inputs []Type) (Type, error) {
	if err := checkPresent(op, inputs, 2); err != nil {
		return Type{}, err
	}
	if _, err := promoteInputs(op, inputs[:1]); err != nil {
		return Type{}, err
	}
	if key := (Type{Float32, []int{2}}); !inputs[1].Equal(key) {
		return Type{}, invalidf(op.Name(), "key", "%s where %s is needed", inputs[1], key)
	}
	if !(op.P >= 0 && op.P < 1) {
		return Type{}, invalidf(op.Name(), "P", "the dropped share is %v, but must be in [0, 1)", op.P)
	}
	return inputs[0], checkShapes(op, inputs)
}

// DropoutRandom returns the random number in [0, 1), a multiple of 2^-24, that
// decides whether [Dropout] keeps element i: the high bits of SplitMix64
// (Steele, Lea and Flood, 2014) at position i of the sequence that [DropoutSeed] starts.
func DropoutRandom(key0, key1 float32, i int) float64 {
	z := mix64(DropoutSeed(key0, key1) + uint64(i)*0x9e3779b97f4a7c15)
	return float64(z>>40) / (1 << 24)
}

// DropoutSeed returns a hash of key0 + 2^24·key1, which keeps the sequences of neighbouring keys from overlapping.
func DropoutSeed(key0, key1 float32) uint64 {
	return mix64((uint64(key0)|uint64(key1)<<24)*0xd1342543de82ef95 + 1)
}

// mix64 is SplitMix64's finaliser, a bijection of 64 bits.
func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

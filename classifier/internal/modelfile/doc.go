// Package modelfile writes and reads model files: named tensors and one JSON
// document, in a file that is either whole or refused.
//
// The format is safetensors (https://github.com/huggingface/safetensors), so that
// any program that reads it can look into a model. Such a file is
//
//	8 bytes    length of the header, little-endian
//	header     JSON: each tensor's dtype, shape and place; text under "__metadata__"
//	data       the tensors' elements, row-major, little-endian, one after the other
//
// The rules of this package are stricter than those of the format. Every header begins
//
//	{"__metadata__":{"pullback":"{\"sha256\":\"…
//
// that is, with a document that holds a checksum, the version of these rules, and the
// caller's own document under "model". The checksum is the SHA-256, in hexadecimal, of
// all bytes of the file but the 64 of the checksum itself. Tensors lie in the order in which the
// header names them, those of the widest elements first so that each is aligned, and then
// by name. The same content always gives the same bytes.
//
// # Trust
//
// A file from anywhere may be read. Whatever it claims to hold, [Read] allocates no more
// than some 20 times its size, and little more than its size if it is a model; what it refuses, it
// refuses with one short sentence. The checksum finds accidents. It is no signature: whoever can change
// the file can change its checksum too.
//
// # Crashes
//
// Whenever the program or the machine stops, the path names a whole file: the old or
// the new, see package atomicfile. A program that is killed in the middle of a write leaves that temporary file behind,
// in the same folder and named as the file with a dot in front and digits at the end. It may be removed.
//
// # Why not a library
//
// github.com/nlpodyssey/safetensors is what the tests compare with. It is not used
// here, since it trusts the file: it allocates up to 90 times a header's size and repeats all of
// the header in its error, and of two tensors with one name the last silently wins. Nor does
// it say whether a file is cut short or goes on too long.
package modelfile

package dataset

import "fmt"

// Format is the format of a data file.
type Format int

const (
	AutoFormat Format = iota // told by the content of the file, not by its name
	CSV                      // one line a row, cells separated by commas, semicolons or tabs (RFC 4180)
	LIBSVM                   // a label and index:value pairs a line, as LIBSVM and SVMlight have it
	NPY                      // one NumPy array of two dimensions
	NPZ                      // a zip archive of NumPy arrays: features X and labels y
)

var formatNames = [...]string{"auto", "CSV", "LIBSVM", "NPY", "NPZ"}

// String returns the format's name, such as "CSV".
func (f Format) String() string {
	if f < 0 || int(f) >= len(formatNames) {
		return fmt.Sprintf("Format(%d)", int(f))
	}
	return formatNames[f]
}

// Header says whether the first line of a CSV file names the columns.
type Header int

const (
	AutoHeader Header = iota // told by comparing the first line with those after it, as Options.Header says
	HasHeader                // the first line names the columns
	NoHeader                 // the first line is a row; columns are called column1, column2 and so on
)

// Options says how a file is read. The zero value suits most files: what it
// leaves open is found out, and [Frame.Schema] tells what was found.
//
// Columns are given by name, or, if no column has that name, by position: "1" is
// the first, "-1" the last.
type Options struct {
	Format Format // of the file

	// Comma is between the cells of a CSV file. 0 takes what a first line such as sep=; names, or else
	// finds tab, semicolon or comma.
	Comma rune

	// Header says whether the first line of a CSV file names the columns. AutoHeader compares it with up to
	// 200 lines after it and takes it for names if
	//
	//   - one of its cells is the option Label, and that is no position; or
	//   - its cell of the label is a text that never comes below, where two others do: it would be a third
	//     label; or
	//   - more of its cells must be names than must be values, or none must be either. Text above nothing but
	//     numbers must be a name; a number, and a text that comes again below, must be a value. But three or more
	//     whole numbers that go up by equal steps, such as years, may be either, and as 0, 1, 2 they are names,
	//     except that of the label if it comes again below, which is a value.
	//
	// Rows for an encoder have a header if those it was fitted on had one.
	Header Header

	Decimal   rune     // of the numbers of a CSV file: '.' or ','; 0 means '.'
	Label     string   // column of the label; "" means the last one
	Positive  string   // label that becomes +1; "" means the greater, as [ReadFrame] says
	Unlabeled bool     // there is no label column, or it is not to be looked at
	Drop      []string // columns to leave out
	Category  []string // columns whose values are categories though they are numbers, such as codes; not of LIBSVM

	// RefuseMissing makes a missing value an error that names its line. Otherwise
	// an [Encoder] fills it in.
	RefuseMissing bool

	// For, if not nil, reads the columns that the encoder knows, as the kinds it
	// knows them by, which is how rows to evaluate or predict must be read. The
	// label may then be absent, and Label, Positive, Drop and Category are the encoder's.
	For *Encoder
}

// isMissing reports whether a cell stands for a value that is not known, as [ReadFrame] lists.
func isMissing(cell string) bool {
	switch len(cell) {
	case 0:
		return true
	case 1:
		return cell[0] == '?'
	case 2:
		return cell[0]|0x20 == 'n' && cell[1]|0x20 == 'a'
	case 3:
		return cell[0]|0x20 == 'n' && cell[2]|0x20 == 'a' && cell[1] == '/' ||
			cell[0]|0x20 == 'n' && cell[1]|0x20 == 'a' && cell[2]|0x20 == 'n' || cell == "#NA"
	case 4:
		return cell[0]|0x20 == 'n' && cell[1]|0x20 == 'u' && cell[2]|0x20 == 'l' && cell[3]|0x20 == 'l' ||
			cell == "#N/A" || cell == "<NA>" || cell == "None" || cell == "-NaN" || cell == "-nan"
	case 6:
		return cell == "1.#IND"
	case 7:
		return cell == "1.#QNAN" || cell == "-1.#IND"
	case 8:
		return cell == "-1.#QNAN" || cell == "#N/A N/A"
	}
	return false
}

//go:build linux

package simulator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// compiler is the system's C compiler: a command and its first arguments.
type compiler []string

// findCompiler returns $CC, or else cc.
func findCompiler() (compiler, error) {
	cc := compiler(strings.Fields(os.Getenv("CC")))
	if len(cc) == 0 {
		cc = compiler{"cc"}
	}
	if _, err := exec.LookPath(cc[0]); err != nil {
		return nil, fmt.Errorf("%w (tried %s)", ErrNoCompiler, cc[0])
	}
	return cc, nil
}

// run runs the compiler in dir and returns what it printed.
func (cc compiler) run(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, cc[0], append(cc[1:len(cc):len(cc)], args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("simulator: %s failed: %w\n%s", strings.Join(cmd.Args, " "), err, out.String())
	}
	return out.String(), nil
}

// compileFlags are for every file. Fused multiplications would make results depend on the processor.
var compileFlags = []string{"-std=c11", "-D_GNU_SOURCE", "-O2", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-pthread", "-Iinclude"}

// linkFlags are for every library. A library finds its siblings beside itself, before LD_LIBRARY_PATH
// could offer the vendor's, and is never unloaded: its threads' storage must outlive dlclose.
var linkFlags = []string{"-shared", "-pthread", "-Wl,-rpath,$ORIGIN", "-Wl,--disable-new-dtags", "-Wl,-z,nodelete", "-Llib"}

// compile writes include and lib to dir, an empty folder, with extra flags for compiling and linking.
func (cc compiler) compile(ctx context.Context, dir string, extra ...string) (err error) {
	if err := errors.Join(unpack("include", dir), unpack("csrc", dir), os.Mkdir(filepath.Join(dir, "lib"), 0o755)); err != nil {
		return err
	}
	objects := map[string][]string{}
	var commands [][]string
	for _, l := range libraries {
		files, err := l.files()
		if err != nil {
			return err
		}
		for _, file := range files {
			object := strings.TrimSuffix(file, ".c") + "." + l.name + ".o"
			objects[l.name] = append(objects[l.name], object)
			commands = append(commands, slices.Concat(compileFlags, extra, []string{"-c", file, "-o", object}))
		}
	}
	if err := cc.runAll(ctx, dir, commands); err != nil {
		return err
	}
	for _, l := range libraries {
		file := "lib" + l.name + ".so"
		args := slices.Concat(linkFlags, extra, []string{"-Wl,-soname," + file, "-o", filepath.Join("lib", file)}, objects[l.name])
		for _, need := range l.needs {
			args = append(args, "-l"+need)
		}
		if _, err := cc.run(ctx, dir, append(args, "-lm")...); err != nil {
			return err
		}
	}
	return os.RemoveAll(filepath.Join(dir, "csrc"))
}

// runAll runs the compiler once for each list of arguments, as many at a time as
// there are processors, and returns the first failure.
func (cc compiler) runAll(ctx context.Context, dir string, commands [][]string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan []string)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for args := range next {
				if _, err := cc.run(ctx, dir, args...); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, args := range commands {
		next <- args
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}

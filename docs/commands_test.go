package docs_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A command is an indented line of a page, or words between backquotes, that begins so.
var (
	commandLine   = regexp.MustCompile(`(?m)^    ((?:[A-Z_]+=\S+ )*(?:go|bash) .*)$`)
	commandInline = regexp.MustCompile("`(go (?:run|build|test) [^`\n]*)`")
)

// unrun are the commands that are not run, by what they hold, and why.
var unrun = []struct{ part, why string }{
	{"go test ", "that is this"},
	{"go build ", "the commands' own tests build them, the static one included"},
	{".ci/run", "it takes minutes"},
	{" -quick", "it measures for 20 seconds"},
	{"my_cann_program", "it is the reader's"},
}

// statuses are the exit statuses of the commands that do not end with 0, by what they hold.
var statuses = []struct {
	part   string
	status int
}{
	{"ASCENDSIM_FAULTS=", 1}, // the simulated fault is found
}

// workshop makes a directory in which the pages' commands can be run, and returns it with that of the built
// commands. It has the files of the reader that the pages speak of, and whatever of the repository is read.
func workshop(t *testing.T) (dir, bin string) {
	t.Helper()
	dir, bin = t.TempDir(), t.TempDir()
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin+string(filepath.Separator), "./examples/...", "./bench", "./cmd/...")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))

	require.NoError(t, os.CopyFS(filepath.Join(dir, "ops/softmarginloss/testdata"), os.DirFS(filepath.Join(root, "ops/softmarginloss/testdata"))))
	var table, unlabelled strings.Builder
	table.WriteString("id;town;income;note;paid\n")
	unlabelled.WriteString("note;town;income\n")
	for i := range 120 {
		town, income, paid := []string{"Bern", "Köln; Rhein", "São Paulo", ""}[i%4], fmt.Sprint(1.5*float64(i*i%97)), []string{"yes", "no"}[i*i%97/49]
		if i%7 == 0 {
			income = ""
		}
		fmt.Fprintf(&table, "%d;\"%s\";%s;\"he said \"\"%d\"\"\";%s\n", 1000+i, town, income, i%3, paid)
		fmt.Fprintf(&unlabelled, "\"he said \"\"%d\"\"\";\"%s\";%s\n", i%3, town, income)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "my.csv"), []byte(table.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new.csv"), []byte(unlabelled.String()), 0o600))
	return dir, bin
}

// shell runs a command as a reader types it, but with the built commands, and returns all that it prints.
func shell(t *testing.T, dir, bin, command string) (output string, status int) {
	t.Helper()
	line := strings.NewReplacer(
		"/tmp/", dir+"/",
		"ascend:0", "ascend:sim", // which all have
	).Replace(command)
	line = regexp.MustCompile(`go run (\S+)`).ReplaceAllStringFunc(line, func(run string) string {
		return "'" + filepath.Join(bin, filepath.Base(run)) + "'"
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line+" 2>&1")
	cmd.Dir = dir
	out, _ := cmd.Output()
	require.NoError(t, ctx.Err(), command)
	return string(out), cmd.ProcessState.ExitCode()
}

// TestCommands: the commands of the pages run, in their order. Those for an NPU run on the simulator.
func TestCommands(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the commands are for a shell, and there is none")
	}
	simulator := runtime.GOOS == "linux"
	if _, err := exec.LookPath("cc"); err != nil {
		simulator = false
	}
	dir, bin := workshop(t)
	outputs := map[string]string{} // by command
	for _, name := range []string{"README.md", "docs/ascend.md", "docs/operations.md", "CONTRIBUTING.md", "ARCHITECTURE.md"} {
		text := page(t, name)
		found := append(commandLine.FindAllStringSubmatch(text, -1), commandInline.FindAllStringSubmatch(text, -1)...)
		for _, match := range found {
			command, _, _ := strings.Cut(match[1], " #")
			command = strings.TrimSpace(command)
			if slices.ContainsFunc(unrun, func(u struct{ part, why string }) bool { return strings.Contains(command, u.part) }) ||
				!simulator && strings.Contains(strings.ToLower(command), "ascend") {
				continue
			}
			want := 0
			for _, s := range statuses {
				if strings.Contains(command, s.part) {
					want = s.status
				}
			}
			output, status := shell(t, dir, bin, command)
			require.Equal(t, want, status, "%s: %s\n%s", name, command, output)
			outputs[command] = output
		}
	}
	require.GreaterOrEqual(t, len(outputs), 4)
	for _, made := range []string{"model.safetensors", "report/report.html", "scores.csv", "model.onnx"} {
		require.FileExists(t, filepath.Join(dir, made))
	}

	// The flags that the README names are flags of a command.
	var usages strings.Builder
	for _, command := range []string{"go run ./examples/train_binary -h", "go run ./bench -h"} {
		usage, status := shell(t, dir, bin, command)
		require.Zero(t, status, usage)
		usages.WriteString(usage)
	}
	named := regexp.MustCompile("`(-[a-z-]+)[^`\n]*`").FindAllStringSubmatch(page(t, "README.md"), -1)
	require.NotEmpty(t, named)
	for _, flag := range named {
		if flag[1] != "-h" {
			require.Regexp(t, "(?m)^  "+flag[1]+"( |$)", usages.String(), "the README names %s", flag[1])
		}
	}

	// The output that the README shows is what the first command prints, "…" standing for lines left out.
	output := outputs["go run ./examples/train_binary"]
	shown := regexp.MustCompile(`(?m)^    wdbc\.csv: .*\n(?:    .*\n)+`).FindString(page(t, "README.md"))
	require.NotEmpty(t, shown)
	rest := output
	for _, lines := range strings.Split(strings.ReplaceAll("\n"+shown, "\n    ", "\n"), "\n…") {
		lines = strings.TrimPrefix(lines, "\n")
		_, after, found := strings.Cut("\n"+rest, "\n"+lines)
		require.True(t, found, "the README shows\n%s\nbut train_binary prints\n%s", lines, output)
		rest = after
	}
	require.Empty(t, rest, "the README leaves the last lines out")
}

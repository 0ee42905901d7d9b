// Command cpuid generates the one question to the processor that golang.org/x/sys/cpu does not ask.
package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	build.ConstraintExpr("amd64")
	build.TEXT("features", attr.NOSPLIT, "func() (ecx uint32)")
	build.Doc("features returns ECX of CPUID's leaf 1.")
	build.MOVL(operand.U32(1), reg.EAX)
	build.XORL(reg.ECX, reg.ECX)
	build.CPUID()
	build.Store(reg.ECX, build.Return("ecx"))
	build.RET()
	build.Generate()
}

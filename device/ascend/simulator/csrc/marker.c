/* What `strings` finds in each of the simulator's libraries. */
__attribute__((used)) static const char marker[] =
    "pullback Ascend simulator: a software implementation of AscendCL, not Huawei's library";

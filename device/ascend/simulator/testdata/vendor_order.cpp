// The gradient of the soft margin loss in the order of calls that CANN documents: initialise,
// device, context, stream, memory, tensors, phase one, workspace, phase two,
// synchronise, read back, and everything released in the opposite order.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_soft_margin_loss_backward.h"

namespace {

bool succeeded(int code, const char *call)
{
    if (code == ACL_SUCCESS) return true;
    const char *message = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s returned %d: %s\n", call, code, message == nullptr ? "" : message);
    return false;
}

#define CHECK(call)                              \
    do {                                         \
        if (!succeeded((call), #call)) return 1; \
    } while (false)

struct DeviceTensor {
    void *memory = nullptr;
    aclTensor *tensor = nullptr;

    int create(const std::vector<float> &values, const std::vector<int64_t> &shape)
    {
        const size_t bytes = values.size() * sizeof(float);
        CHECK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
        std::vector<int64_t> strides(shape.size(), 1);
        for (size_t i = shape.size() - 1; i > 0; i--) strides[i - 1] = strides[i] * shape[i];
        tensor = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND, shape.data(),
                                 shape.size(), memory);
        return tensor == nullptr ? 1 : 0;
    }
};

} // namespace

int main()
{
    const int32_t device = 0;
    aclrtContext context = nullptr;
    aclrtStream stream = nullptr;
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(device));
    CHECK(aclrtCreateContext(&context, device));
    CHECK(aclrtSetCurrentContext(context));
    CHECK(aclrtCreateStream(&stream));

    const std::vector<int64_t> shape = {2, 2};
    const std::vector<float> margins = {0, 1, 2, 3};
    DeviceTensor gradOutput, self, target, out;
    if (gradOutput.create(margins, shape) != 0 || self.create(margins, shape) != 0 ||
        target.create(std::vector<float>(4, 1), shape) != 0 || out.create(std::vector<float>(4, 0), shape) != 0)
        return 1;

    const int64_t mean = 1;
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
    CHECK(aclnnSoftMarginLossBackwardGetWorkspaceSize(gradOutput.tensor, self.tensor, target.tensor, mean, out.tensor,
                                                      &workspaceSize, &executor));
    void *workspace = nullptr;
    if (workspaceSize > 0) CHECK(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclnnSoftMarginLossBackward(workspace, workspaceSize, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));

    std::vector<float> result(4);
    const size_t bytes = result.size() * sizeof(float);
    CHECK(aclrtMemcpy(result.data(), bytes, out.memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    for (float value : result) std::printf("%g\n", static_cast<double>(value));

    for (const DeviceTensor *t : {&gradOutput, &self, &target, &out}) {
        CHECK(aclDestroyTensor(t->tensor));
        CHECK(aclrtFree(t->memory));
    }
    if (workspace != nullptr) CHECK(aclrtFree(workspace));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtDestroyContext(context));
    CHECK(aclrtResetDevice(device));
    CHECK(aclFinalize());
    return 0;
}

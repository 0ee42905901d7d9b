/* OpenBLAS on the products of BenchmarkMultiply, for comparison.
 *
 *     cc -O2 openblas.c -o /tmp/openblas -lopenblas
 *     OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell /tmp/openblas       # AVX2
 *     OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=SkylakeX /tmp/openblas      # AVX-512
 *
 * Best and median of 101 rounds of at least 50 microseconds each. Adding the bias and
 * applying ReLU, which BenchmarkMultiply includes for the products called forward, is left out here.
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 101 };

extern char *openblas_get_corename(void);

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static float *numbers(long n) {
    float *p = malloc(n * sizeof *p);
    for (long i = 0; i < n; i++) p[i] = rand() / (float)RAND_MAX - 0.5f;
    return p;
}

static void measure(const char *name, int m, int k, int n, int transpose_a, int transpose_b) {
    float *a = numbers((long)m * k), *b = numbers((long)k * n), *c = numbers((long)m * n);
    double flops = 2.0 * m * k * n, times[ROUNDS];
    int repeat = 5e6 / flops + 1;
    for (int r = 0; r < ROUNDS; r++) {
        double start = now();
        for (int i = 0; i < repeat; i++)
            cblas_sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans, transpose_b ? CblasTrans : CblasNoTrans, m, n, k,
                        1, a, transpose_a ? m : k, b, transpose_b ? k : n, 0, c, n);
        times[r] = (now() - start) / repeat;
    }
    qsort(times, ROUNDS, sizeof *times, compare);
    printf("%-24s %10.1f ns   best %6.1f   median %6.1f GFLOP/s\n", name, times[0] * 1e9, flops / times[0] * 1e-9,
           flops / times[ROUNDS / 2] * 1e-9);
    free(a);
    free(b);
    free(c);
}

int main(void) {
    char name[64];
    printf("OpenBLAS kernels: %s\n", openblas_get_corename());
    for (int n = 128; n <= 1024; n *= 2) {
        snprintf(name, sizeof name, "square/%d", n);
        measure(name, n, n, n, 0, 0);
    }
    static const int layers[][3] = {
        {32, 30, 1}, {32, 30, 64}, {32, 64, 32}, {32, 32, 1},
        {256, 30, 64}, {256, 64, 32}, {256, 32, 1},
        {1024, 28, 256}, {1024, 256, 256}, {1024, 256, 1},
    };
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        int batch = layers[i][0], in = layers[i][1], out = layers[i][2];
        snprintf(name, sizeof name, "forward/%dx%dx%d", batch, in, out);
        measure(name, batch, in, out, 0, 0);
        snprintf(name, sizeof name, "dW/%dx%dx%d", batch, in, out);
        measure(name, in, batch, out, 1, 0);
        snprintf(name, sizeof name, "dX/%dx%dx%d", batch, in, out);
        measure(name, batch, out, in, 0, 1);
    }
    return 0;
}

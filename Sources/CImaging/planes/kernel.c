#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double cubic(double x) {
    x = fabs(x);
    if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
    if (x < 2) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
    return 0;
}

// Rounds the weights so that they add up to exactly one; the remainder goes to the largest.
static void quantise(const double *exact, uint32_t count, int16_t *weights) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += exact[i];
    int32_t rest = 1 << IDCI_WEIGHT_BITS;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = (int16_t)lrint(exact[i] / sum * (1 << IDCI_WEIGHT_BITS));
        rest -= weights[i];
        if (weights[i] > weights[largest]) largest = i;
    }
    weights[largest] = (int16_t)(weights[largest] + rest);
}

// Computes the window and the weights of one target index.
static void fill(idci_kernel *kernel, uint32_t index, double stretch, double *exact) {
    const uint32_t taps = kernel->taps;
    double centre = (index + 0.5) * kernel->ratio - 0.5 + kernel->offset, reach = 2 * stretch;
    int64_t low = (int64_t)ceil(centre - reach), high = (int64_t)floor(centre + reach);
    if (low < 0) low = 0;
    if (high > (int64_t)kernel->source - 1) high = (int64_t)kernel->source - 1;
    if (low > (int64_t)kernel->source - taps) low = (int64_t)kernel->source - taps;  // Every window lies inside.
    kernel->first[index] = (uint32_t)low;
    for (uint32_t t = 0; t < taps; t++) {
        int64_t at = low + t;
        exact[t] = at <= high ? cubic(((double)at - centre) / stretch) : 0;
    }
    quantise(exact, taps, kernel->weights + (size_t)index * taps);
}

uint32_t idci_kernel_taps(uint32_t source, double ratio) {
    double taps = floor(4 * (ratio > 1 ? ratio : 1)) + 1;
    return taps > source ? source : (uint32_t)taps;
}

bool idci_kernel_make(idci_kernel *made, uint32_t source, uint32_t target, double ratio, double offset) {
    double stretch = ratio > 1 ? ratio : 1;
    uint32_t taps = idci_kernel_taps(source, ratio);
    *made = (idci_kernel){.source = source, .target = target, .ratio = ratio, .offset = offset, .taps = taps};
    made->first = malloc(target * sizeof *made->first);
    made->weights = calloc((size_t)target * taps, sizeof *made->weights);
    double *exact = malloc(taps * sizeof *exact);
    bool complete = made->first != NULL && made->weights != NULL && exact != NULL;
    for (uint32_t i = 0; complete && i < target; i++) fill(made, i, stretch, exact);
    free(exact);
    if (!complete) idci_kernel_clear(made);
    return complete;
}

void idci_kernel_clear(idci_kernel *kernel) {
    free(kernel->first);
    free(kernel->weights);
    memset(kernel, 0, sizeof *kernel);
}

// Weights of a separable reduction.

#ifndef IDCI_KERNEL_H
#define IDCI_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IDCI_WEIGHT_BITS = 14 };  // Weights are fixed point; those of one target index add up to exactly one.

// For each target index: the first source index and `taps` weights (padded with zeros). Every window lies inside.
typedef struct {
    uint32_t source, target;
    double ratio, offset;
    uint32_t taps;
    uint32_t *first;
    int16_t *weights;
} idci_kernel;

// Returns the maximum number of source samples for one target sample.
uint32_t idci_kernel_taps(uint32_t source, double ratio);

// Makes an antialiased Catmull-Rom kernel. `ratio` is the width of a target sample in source samples: source/target
// where both cover the same picture, another value where the last source sample extends beyond its edge. `offset` moves
// the target's grid, in source samples.
bool idci_kernel_make(idci_kernel *made, uint32_t source, uint32_t target, double ratio, double offset);

void idci_kernel_clear(idci_kernel *kernel);

#endif

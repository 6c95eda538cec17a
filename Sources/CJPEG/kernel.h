// Weights of a separable reduction, shared by the interleaved and the planar path.

#ifndef IDC_KERNEL_H
#define IDC_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IDC_WEIGHT_BITS = 14 };  // Weights are fixed point; those of one target index add up to exactly one.

// For each target index: the first source index and `taps` weights (padded with zeros). Every window lies inside.
typedef struct {
    uint32_t source, target;
    double ratio, offset;
    uint32_t taps;
    uint32_t *first;
    int16_t *weights;
} idc_kernel;

// Makes an antialiased Catmull-Rom kernel. `ratio` is the width of a target sample in source samples: source/target
// where both cover the same picture, something else where the last source sample hangs over its edge. `offset` moves
// the target's grid, in source samples.
bool idc_kernel_make(idc_kernel *made, uint32_t source, uint32_t target, double ratio, double offset);

// Keeps the kernel when it is already this one.
bool idc_kernel_ensure(idc_kernel *kept, uint32_t source, uint32_t target, double ratio, double offset);

// The memory it holds, in bytes.
size_t idc_kernel_size(const idc_kernel *kernel);

// Frees what the kernel points to.
void idc_kernel_clear(idc_kernel *kernel);

#endif

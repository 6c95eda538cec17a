// The passes of the plane reducer, in vectors of sixteen samples.

#ifndef IDCI_PLANE_PASSES_H
#define IDCI_PLANE_PASSES_H

#include <stddef.h>
#include <stdint.h>

enum { IDCI_LANES = 16 };

typedef uint8_t idci_bytes __attribute__((vector_size(16)));

// Sixteen times sixteen samples.
typedef struct {
    idci_bytes vectors[IDCI_LANES];
} idci_square;

// Computes one row as the weighted sum of rows; `count` is a multiple of 64.
void idci_pass_down(
    const uint8_t *const *rows, const int16_t *weights, uint32_t taps, size_t count, uint8_t *out);

// Computes weighted sums of columns: one vector for each of `targets` (at most 16) target columns. `columns` holds
// sixteen samples for each source column.
void idci_pass_across(
    const uint8_t *columns, const uint32_t *first, const int16_t *weights, uint32_t taps, uint32_t targets,
    idci_square *out);

// Transposes sixteen rows of `count` (a multiple of 16) samples into `count` columns of sixteen.
void idci_columns(const uint8_t *const *rows, size_t count, uint8_t *columns);

void idci_transpose(idci_square *square);

static inline idci_bytes idci_reversed(idci_bytes value) {
    return __builtin_shufflevector(value, value, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

#endif

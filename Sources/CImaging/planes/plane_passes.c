#include "plane_passes.h"

#include <string.h>

#include "kernel.h"

typedef int32_t ints __attribute__((vector_size(64)));

// On x86 the passes exist twice; the processor decides when the program starts. Elsewhere the compiler's vectors
// suffice.
#if defined(__x86_64__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#define INLINE static inline __attribute__((always_inline))

// By pointers, as vectors this wide have no way of being passed on every processor; nothing is left of them inlined.
INLINE void add(ints *sum, const uint8_t *samples, int32_t weight) {
    idci_bytes values;
    memcpy(&values, samples, sizeof values);
    *sum += __builtin_convertvector(values, ints) * weight;
}

INLINE idci_bytes finished(const ints *sum) {
    ints value = *sum >> IDCI_WEIGHT_BITS;
    value = __builtin_elementwise_max(value, (ints){0});
    value = __builtin_elementwise_min(value, (ints){0} + 255);
    return __builtin_convertvector(value, idci_bytes);
}

WIDE void idci_pass_down(
    const uint8_t *const *rows, const int16_t *weights, uint32_t taps, size_t count, uint8_t *out
) {
    for (size_t x = 0; x < count; x += IDCI_LANES) {
        ints sum = (ints){0} + (1 << (IDCI_WEIGHT_BITS - 1));
        for (uint32_t t = 0; t < taps; t++) add(&sum, rows[t] + x, weights[t]);
        idci_bytes value = finished(&sum);
        memcpy(out + x, &value, sizeof value);
    }
}

WIDE void idci_pass_across(
    const uint8_t *columns, const uint32_t *first, const int16_t *weights, uint32_t taps, uint32_t targets,
    idci_square *out
) {
    for (uint32_t i = 0; i < targets; i++, weights += taps) {
        const uint8_t *column = columns + (size_t)first[i] * IDCI_LANES;
        ints sum = (ints){0} + (1 << (IDCI_WEIGHT_BITS - 1));
        for (uint32_t t = 0; t < taps; t++) add(&sum, column + (size_t)t * IDCI_LANES, weights[t]);
        out->vectors[i] = finished(&sum);
    }
    for (uint32_t i = targets; i < IDCI_LANES; i++) out->vectors[i] = (idci_bytes){0};
}

// MARK: - Transposition: four rounds of interleaving a vector with the one eight further on.

INLINE idci_bytes low(idci_bytes a, idci_bytes b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

INLINE idci_bytes high(idci_bytes a, idci_bytes b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

INLINE void interleave(const idci_bytes *from, idci_bytes *to) {
    for (int i = 0; i < IDCI_LANES / 2; i++) {
        to[2 * i] = low(from[i], from[i + IDCI_LANES / 2]);
        to[2 * i + 1] = high(from[i], from[i + IDCI_LANES / 2]);
    }
}

INLINE void transpose(idci_bytes *vectors) {
    idci_bytes other[IDCI_LANES];
    interleave(vectors, other);
    interleave(other, vectors);
    interleave(vectors, other);
    interleave(other, vectors);
}

void idci_transpose(idci_square *square) {
    transpose(square->vectors);
}

void idci_columns(const uint8_t *const *rows, size_t count, uint8_t *columns) {
    for (size_t x = 0; x < count; x += IDCI_LANES) {
        idci_bytes vectors[IDCI_LANES];
        for (int j = 0; j < IDCI_LANES; j++) memcpy(&vectors[j], rows[j] + x, sizeof vectors[j]);
        transpose(vectors);
        memcpy(columns + x * IDCI_LANES, vectors, sizeof vectors);
    }
}

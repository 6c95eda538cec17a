// The arithmetic on one block of coefficients, eight at a time.

#ifndef IDCI_JPEG_BLOCK_H
#define IDCI_JPEG_BLOCK_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

enum {
    FACTOR_BITS = 14,
    LARGEST_COEFFICIENT = 1023,  // The largest value in baseline coding (ITU-T T.81, table F.2).
};

typedef int16_t coefficients __attribute__((vector_size(16)));
typedef uint16_t unsigned_coefficients __attribute__((vector_size(16)));
typedef int32_t wide __attribute__((vector_size(32)));
typedef float values __attribute__((vector_size(32)));

// The factors of the coefficients of a block; mirroring changes signs. `narrow` holds steps of 2^-FACTOR_BITS; `wide`
// holds the exact factors, used if one does not fit into sixteen bits.
typedef struct {
    coefficients narrow[DCTSIZE];
    values wide[DCTSIZE];
    bool is_wide;
} block_factors;

// Sets the exact factors and, if all of them fit, the narrow ones.
static inline void set_factors(block_factors *factors, float exact[DCTSIZE][DCTSIZE]) {
    memcpy(factors->wide, exact, sizeof factors->wide);
    for (int i = 0; i < DCTSIZE2; i++) factors->is_wide |= fabsf(exact[i / DCTSIZE][i % DCTSIZE]) >= 2;
    if (factors->is_wide) return;
    for (int i = 0; i < DCTSIZE2; i++) {
        float factor = exact[i / DCTSIZE][i % DCTSIZE];
        factors->narrow[i / DCTSIZE][i % DCTSIZE] = (int16_t)lrintf(factor * (1 << FACTOR_BITS));
    }
}

// Multiplies by steps of 2^-FACTOR_BITS and rounds. The result is the upper half of the product plus the carry from its lower
// half, each in sixteen bits, where one instruction handles eight coefficients. Ties round towards zero: the error is the same,
// and the result takes fewer bits.
static inline coefficients scaled(coefficients stored, coefficients factors) {
    coefficients raised = (coefficients)((unsigned_coefficients)stored << (16 - FACTOR_BITS));
    wide product = __builtin_convertvector(raised, wide) * __builtin_convertvector(factors, wide);
    unsigned_coefficients lower = (unsigned_coefficients)raised * (unsigned_coefficients)factors;
    coefficients upper = __builtin_convertvector(product >> 16, coefficients);
    unsigned_coefficients is_positive = (unsigned_coefficients)(((raised ^ factors) >> 15) + 1);
    return upper + (coefficients)(__builtin_elementwise_sub_sat(lower, is_positive) >> 15);
}

// The same for factors of two and more: the stored quantisation is coarser than the new one.
static inline coefficients scaled_widely(coefficients stored, const values *factors) {
    values value = __builtin_convertvector(stored, values) * *factors;
    values limit = (values){0} + (float)LARGEST_COEFFICIENT;
    value = __builtin_elementwise_max(__builtin_elementwise_min(value, limit), -limit);
    // Adding 1.5 * 2^23 leaves no bits for a fraction, so that the processor rounds.
    union {
        values floats;
        wide bits;
    } rounded = {.floats = value + 12582912.0f};
    return __builtin_convertvector(rounded.bits - 0x4B400000, coefficients);
}

static inline coefficients limited(coefficients value) {
    coefficients limit = (coefficients){0} + LARGEST_COEFFICIENT;
    return __builtin_elementwise_max(__builtin_elementwise_min(value, limit), -limit);
}

static inline void transpose(JCOEF *block) {
    coefficients row[DCTSIZE], a[DCTSIZE], b[DCTSIZE];
    memcpy(row, block, sizeof row);
    for (int i = 0; i < 4; i++) {
        a[2 * i] = __builtin_shufflevector(row[i], row[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        a[2 * i + 1] = __builtin_shufflevector(row[i], row[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 4; i++) {
        b[2 * i] = __builtin_shufflevector(a[i], a[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        b[2 * i + 1] = __builtin_shufflevector(a[i], a[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 4; i++) {
        row[2 * i] = __builtin_shufflevector(b[i], b[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        row[2 * i + 1] = __builtin_shufflevector(b[i], b[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    memcpy(block, row, sizeof row);
}

static inline void requantize(const JCOEF *stored, const block_factors *factors, JCOEF *target) {
    coefficients rows[DCTSIZE];
    memcpy(rows, stored, sizeof rows);
    if (factors->is_wide) {
        for (int i = 0; i < DCTSIZE; i++) rows[i] = scaled_widely(rows[i], &factors->wide[i]);
    } else {
#pragma clang loop unroll(full)
        for (int i = 0; i < DCTSIZE; i++) rows[i] = limited(scaled(rows[i], factors->narrow[i]));
    }
    memcpy(target, rows, sizeof rows);
}

#endif

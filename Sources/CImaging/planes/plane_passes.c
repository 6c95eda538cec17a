#include "plane_passes.h"

#include <stdbool.h>
#include <string.h>

#include "kernel.h"

#define INLINE static inline __attribute__((always_inline))

// MARK: - Two rows or columns at a time, by instructions that multiply and add pairs

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

// Sixteen sums, in the order of unpacking, which packing undoes.
typedef struct {
    __m256i low, high;
} sums;

AVX2 INLINE sums started(void) {
    __m256i half = _mm256_set1_epi32(1 << (IDCI_WEIGHT_BITS - 1));
    return (sums){half, half};
}

AVX2 INLINE void add_two(sums *sum, const uint8_t *a, const uint8_t *b, int16_t weight, int16_t other) {
    __m256i first = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i_u *)a));
    __m256i second = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i_u *)b));
    __m256i pair = _mm256_set1_epi32((int32_t)((uint32_t)(uint16_t)other << 16 | (uint16_t)weight));
    sum->low = _mm256_add_epi32(sum->low, _mm256_madd_epi16(_mm256_unpacklo_epi16(first, second), pair));
    sum->high = _mm256_add_epi32(sum->high, _mm256_madd_epi16(_mm256_unpackhi_epi16(first, second), pair));
}

AVX2 INLINE idci_bytes packed(const sums *sum) {
    __m256i low = _mm256_srai_epi32(sum->low, IDCI_WEIGHT_BITS), high = _mm256_srai_epi32(sum->high, IDCI_WEIGHT_BITS);
    __m256i words = _mm256_packs_epi32(low, high);
    return (idci_bytes)_mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}

AVX2 static void down_by_twos(
    const uint8_t *const *rows, const int16_t *weights, uint32_t taps, size_t count, uint8_t *out
) {
    for (size_t x = 0; x < count; x += IDCI_LANES) {
        sums sum = started();
        uint32_t t = 0;
        for (; t + 1 < taps; t += 2) add_two(&sum, rows[t] + x, rows[t + 1] + x, weights[t], weights[t + 1]);
        if (t < taps) add_two(&sum, rows[t] + x, rows[t] + x, weights[t], 0);
        idci_bytes value = packed(&sum);
        memcpy(out + x, &value, sizeof value);
    }
}

AVX2 static void across_by_twos(
    const uint8_t *columns, const uint32_t *first, const int16_t *weights, uint32_t taps, uint32_t targets,
    idci_square *out
) {
    for (uint32_t i = 0; i < targets; i++, weights += taps) {
        const uint8_t *column = columns + (size_t)first[i] * IDCI_LANES;
        sums sum = started();
        uint32_t t = 0;
        for (; t + 1 < taps; t += 2, column += 2 * IDCI_LANES) {
            add_two(&sum, column, column + IDCI_LANES, weights[t], weights[t + 1]);
        }
        if (t < taps) add_two(&sum, column, column, weights[t], 0);
        out->vectors[i] = packed(&sum);
    }
}

#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define HAS_AVX2 false
#define down_by_twos(...)
#define across_by_twos(...)
#endif

// MARK: - The same in the compiler's own vectors

typedef int32_t ints __attribute__((vector_size(64)));

// By pointer: by value, the ABI depends on the target; inlining removes the pointers.
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

void idci_pass_down(const uint8_t *const *rows, const int16_t *weights, uint32_t taps, size_t count, uint8_t *out) {
    if (HAS_AVX2) return down_by_twos(rows, weights, taps, count, out);
    for (size_t x = 0; x < count; x += IDCI_LANES) {
        ints sum = (ints){0} + (1 << (IDCI_WEIGHT_BITS - 1));
        for (uint32_t t = 0; t < taps; t++) add(&sum, rows[t] + x, weights[t]);
        idci_bytes value = finished(&sum);
        memcpy(out + x, &value, sizeof value);
    }
}

void idci_pass_across(
    const uint8_t *columns, const uint32_t *first, const int16_t *weights, uint32_t taps, uint32_t targets,
    idci_square *out
) {
    for (uint32_t i = targets; i < IDCI_LANES; i++) out->vectors[i] = (idci_bytes){0};
    if (HAS_AVX2) return across_by_twos(columns, first, weights, taps, targets, out);
    for (uint32_t i = 0; i < targets; i++, weights += taps) {
        const uint8_t *column = columns + (size_t)first[i] * IDCI_LANES;
        ints sum = (ints){0} + (1 << (IDCI_WEIGHT_BITS - 1));
        for (uint32_t t = 0; t < taps; t++) add(&sum, column + (size_t)t * IDCI_LANES, weights[t]);
        out->vectors[i] = finished(&sum);
    }
}

// MARK: - Transposition: four rounds that interleave vector i with vector i + 8.

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

#include <stdlib.h>
#include <string.h>

#include "idci_image.h"
#include "../planes/kernel.h"

// Fixed point: weights have 14 fractional bits; between the passes a value has 6 (16 bits hold 0...255 with the
// overshoot of a cubic kernel).
enum {
    WEIGHT_BITS = IDCI_WEIGHT_BITS,
    MIDDLE_BITS = 6,
    CHANNELS = 4,
    LANES = 8,
};

typedef uint8_t bytes8 __attribute__((vector_size(8)));
typedef int16_t shorts4 __attribute__((vector_size(8)));
typedef int16_t shorts8 __attribute__((vector_size(16)));
typedef int32_t ints4 __attribute__((vector_size(16)));
typedef int32_t ints8 __attribute__((vector_size(32)));

struct idci_resampler {
    uint32_t source_width, source_height, target_width, target_height;
    idci_kernel across, down;
    uint8_t *ring;      // The last `down.taps` source rows.
    const uint8_t **window;    // The rows of one window that have a weight,
    int16_t *window_weights;   // and their weights.
    int16_t *middle;    // One row, reduced vertically.
    uint8_t *pixels;
    uint32_t next_source, next_target;
    bool copies;        // Same size: rows are copied.
};

idci_resampler *idci_resampler_create(
    uint32_t source_width, uint32_t source_height, uint32_t target_width, uint32_t target_height, uint8_t *pixels
) {
    if (target_width == 0 || target_height == 0 || pixels == NULL) return NULL;
    if (target_width > source_width || target_height > source_height) return NULL;
    idci_resampler *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->source_width = source_width;
    made->source_height = source_height;
    made->target_width = target_width;
    made->target_height = target_height;
    made->pixels = pixels;
    made->copies = target_width == source_width && target_height == source_height;
    if (made->copies) return made;

    bool complete = idci_kernel_make(&made->across, source_width, target_width, (double)source_width / target_width, 0)
        && idci_kernel_make(&made->down, source_height, target_height, (double)source_height / target_height, 0);
    if (complete) {
        size_t row = (size_t)source_width * CHANNELS;
        made->ring = malloc(row * made->down.taps);
        made->middle = malloc(row * sizeof *made->middle);
        made->window = malloc(made->down.taps * sizeof *made->window);
        made->window_weights = malloc(made->down.taps * sizeof *made->window_weights);
    }
    bool has_rows = made->ring != NULL && made->middle != NULL;
    if (!has_rows || made->window == NULL || made->window_weights == NULL) {
        idci_resampler_destroy(made);
        return NULL;
    }
    return made;
}

static const uint8_t *ring_row(const idci_resampler *r, uint32_t y) {
    return r->ring + (size_t)(y % r->down.taps) * r->source_width * CHANNELS;
}

static int16_t reduced_value(const uint8_t *const *rows, const int16_t *weights, uint32_t taps, size_t at) {
    int32_t sum = 1 << (WEIGHT_BITS - MIDDLE_BITS - 1);
    for (uint32_t t = 0; t < taps; t++) sum += weights[t] * rows[t][at];
    return (int16_t)(sum >> (WEIGHT_BITS - MIDDLE_BITS));
}

static void reduce_down(idci_resampler *r, uint32_t taps) {
    const uint8_t *const *rows = r->window;
    const int16_t *weights = r->window_weights;
    size_t count = (size_t)r->source_width * CHANNELS, at = 0;
    for (; at + LANES <= count; at += LANES) {
        ints8 sum = {0};
        sum += 1 << (WEIGHT_BITS - MIDDLE_BITS - 1);
        for (uint32_t t = 0; t < taps; t++) {
            bytes8 values;
            memcpy(&values, rows[t] + at, sizeof values);
            sum += __builtin_convertvector(values, ints8) * weights[t];
        }
        shorts8 reduced = __builtin_convertvector(sum >> (WEIGHT_BITS - MIDDLE_BITS), shorts8);
        memcpy(r->middle + at, &reduced, sizeof reduced);
    }
    for (; at < count; at++) r->middle[at] = reduced_value(rows, weights, taps, at);
}

static uint8_t clamp(int32_t value) {
    return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

static void reduce_across(const idci_resampler *r, uint8_t *out) {
    const int shift = WEIGHT_BITS + MIDDLE_BITS;
    for (uint32_t x = 0; x < r->target_width; x++, out += CHANNELS) {
        const int16_t *weights = r->across.weights + (size_t)x * r->across.taps;
        const int16_t *in = r->middle + (size_t)r->across.first[x] * CHANNELS;
        ints4 sum = {0};
        sum += 1 << (shift - 1);
        for (uint32_t t = 0; t < r->across.taps; t++, in += CHANNELS) {
            shorts4 values;
            memcpy(&values, in, sizeof values);
            sum += __builtin_convertvector(values, ints4) * weights[t];
        }
        sum >>= shift;
        out[0] = clamp(sum[0]);
        out[1] = clamp(sum[1]);
        out[2] = clamp(sum[2]);
        out[3] = 255;
    }
}

// Writes every target row whose window is complete. Windows lie wholly inside the source, and the ring is as high
// as a window, so the rows of the next window are always there.
static void emit_ready_rows(idci_resampler *r) {
    const uint32_t taps = r->down.taps;
    while (r->next_target < r->target_height) {
        uint32_t first = r->down.first[r->next_target];
        if (first + taps > r->next_source) break;
        const int16_t *weights = r->down.weights + (size_t)r->next_target * taps;
        uint32_t used = 0;
        for (uint32_t t = 0; t < taps; t++) {
            if (weights[t] == 0) continue;
            r->window[used] = ring_row(r, first + t);
            r->window_weights[used++] = weights[t];
        }
        reduce_down(r, used);
        reduce_across(r, r->pixels + (size_t)r->next_target * r->target_width * CHANNELS);
        r->next_target += 1;
    }
}

bool idci_resampler_push(void *resampler, const uint8_t *row, uint32_t y) {
    idci_resampler *r = resampler;
    if (y != r->next_source || y >= r->source_height) return false;
    size_t row_bytes = (size_t)r->source_width * CHANNELS;
    r->next_source += 1;
    if (r->copies) {
        memcpy(r->pixels + y * row_bytes, row, row_bytes);
        r->next_target += 1;
        return true;
    }
    memcpy(r->ring + (size_t)(y % r->down.taps) * row_bytes, row, row_bytes);
    emit_ready_rows(r);
    return true;
}

bool idci_resampler_is_complete(const idci_resampler *resampler) {
    return resampler->next_target == resampler->target_height;
}

void idci_resampler_destroy(idci_resampler *resampler) {
    if (resampler == NULL) return;
    idci_kernel_clear(&resampler->across);
    idci_kernel_clear(&resampler->down);
    free(resampler->ring);
    free(resampler->middle);
    free(resampler->window);
    free(resampler->window_weights);
    free(resampler);
}

// Colours are converted by tables: one entry per value of red, green and blue, already multiplied by its column of the
// matrix, and one per step of linear light. Pixels that share a chroma sample differ by the same number in each channel,
// so their entries are found from luma alone.

#include <math.h>
#include <string.h>

#include "planes.h"

enum {
    STEPS = 16384,  // Fewer would be visible in shadows.
    CHANNELS = 4,
    VALUES = 256,
    CHUNK = 32,     // Chroma samples that are converted at a time.
};

// Linear red, green and blue of sRGB, in steps.
typedef int16_t light __attribute__((vector_size(8)));

typedef struct {
    light linear[3][3 * VALUES];  // By channel and value, for values below 0 and above 255 as well.
    uint8_t encoded[STEPS];       // sRGB values of linear light.
} conversion;

// IEC 61966-2-1.
static double linear_from_srgb(double encoded) {
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

static int16_t steps(float linear) {
    return (int16_t)lrintf(fminf(fmaxf(linear * (STEPS - 1), INT16_MIN), INT16_MAX));
}

static void prepare(conversion *c, const idci_colour_transform *transform) {
    for (int i = 0; i < 3; i++) {
        const float *column = transform->matrix + i;
        for (int j = 0; j < 3 * VALUES; j++) {
            float value = transform->linear[i][idci_clamped(j - VALUES)];
            c->linear[i][j] = (light){steps(column[0] * value), steps(column[3] * value), steps(column[6] * value)};
        }
    }
    // Each value of sRGB takes the steps up to the middle between it and the next value.
    for (int value = 0, start = 0; value < VALUES; value++) {
        double end = value == VALUES - 1 ? 1 : linear_from_srgb((value + 0.5) / (VALUES - 1));
        int next = (int)ceil(end * (STEPS - 1)) + (value == VALUES - 1);
        memset(c->encoded + start, value, (size_t)(next - start));
        start = next;
    }
}

static inline void convert(const conversion *c, light red, light green, light blue, uint8_t *r, uint8_t *g, uint8_t *b) {
    light sum = __builtin_elementwise_add_sat(__builtin_elementwise_add_sat(red, green), blue);
    sum = __builtin_elementwise_min(__builtin_elementwise_max(sum, (light){0}), (light){0} + (STEPS - 1));
    *r = c->encoded[sum[0]];
    *g = c->encoded[sum[1]];
    *b = c->encoded[sum[2]];
}

void idci_pixels_to_srgb(uint8_t *pixels, size_t count, const idci_colour_transform *transform) {
    conversion conversion;
    prepare(&conversion, transform);
    for (uint8_t *p = pixels; p < pixels + count * CHANNELS; p += CHANNELS) {
        light light[3];
        for (int i = 0; i < 3; i++) light[i] = conversion.linear[i][VALUES + p[i]];
        convert(&conversion, light[0], light[1], light[2], p, p + 1, p + 2);
    }
}

// Two rows of sRGB pixels.
typedef struct {
    uint8_t red[2][2 * CHUNK], green[2][2 * CHUNK], blue[2][2 * CHUNK];
} pixels;

static void look_up(
    const conversion *c, const uint8_t *const luma[2], const uint8_t *cb, const uint8_t *cr, uint32_t count, pixels *to
) {
    for (uint32_t i = 0; i < count; i++) {
        int32_t offsets[3];
        idci_chroma_offsets(cb[i], cr[i], offsets);
        const light *red = c->linear[0] + VALUES + offsets[0];
        const light *green = c->linear[1] + VALUES + offsets[1];
        const light *blue = c->linear[2] + VALUES + offsets[2];
        for (int j = 0; j < 4; j++) {
            int down = j / 2;
            uint32_t x = 2 * i + j % 2, y = luma[down][x];
            convert(c, red[y], green[y], blue[y], &to->red[down][x], &to->green[down][x], &to->blue[down][x]);
        }
    }
}

// Returns the sum of the four pixels of chroma sample `x`, read as pairs of bytes.
static inline int32_t sum_of_square(const uint8_t rows[2][2 * CHUNK], uint32_t x) {
    uint16_t upper, lower;
    memcpy(&upper, rows[0] + 2 * x, sizeof upper);
    memcpy(&lower, rows[1] + 2 * x, sizeof lower);
    return (upper & 0xFF) + (upper >> 8) + (lower & 0xFF) + (lower >> 8);
}

// Stores luma, and one chroma sample for the mean colour of four pixels.
static void store(const pixels *from, uint32_t count, uint8_t *const luma[2], uint8_t *cb, uint8_t *cr) {
    for (int down = 0; down < 2; down++) {
        const uint8_t *r = from->red[down], *g = from->green[down], *b = from->blue[down];
        for (uint32_t x = 0; x < 2 * count; x++) luma[down][x] = idci_luma(r[x], g[x], b[x]);
    }
    for (uint32_t x = 0; x < count; x++) {
        int32_t r = sum_of_square(from->red, x), g = sum_of_square(from->green, x), b = sum_of_square(from->blue, x);
        cb[x] = idci_cb(r, g, b, 2);
        cr[x] = idci_cr(r, g, b, 2);
    }
}

static uint8_t *row(const idci_plane *plane, uint32_t y) {
    return plane->samples + (size_t)(y < plane->height ? y : plane->height - 1) * plane->stride;
}

void idci_planes_to_srgb(idci_planes *planes, const idci_colour_transform *transform) {
    conversion conversion;
    prepare(&conversion, transform);
    const idci_plane *luma = &planes->reducers[0].target, *chroma = &planes->reducers[1].target;
    idci_plane_pad(luma, 2 * chroma->width);
    pixels converted;
    for (uint32_t y = 0; y < chroma->height; y++) {
        for (uint32_t x = 0; x < chroma->width; x += CHUNK) {
            uint32_t count = chroma->width - x < CHUNK ? chroma->width - x : CHUNK;
            uint8_t *lumas[] = {row(luma, 2 * y) + 2 * x, row(luma, 2 * y + 1) + 2 * x};
            uint8_t *cb = row(chroma, y) + x, *cr = row(&planes->reducers[2].target, y) + x;
            look_up(&conversion, (const uint8_t *const *)lumas, cb, cr, count, &converted);
            store(&converted, count, lumas, cb, cr);
        }
    }
}

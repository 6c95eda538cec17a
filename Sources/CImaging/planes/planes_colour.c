#include <math.h>

#include "planes.h"

enum {
    STEPS = 16384,
    CHANNELS = 4,
};

typedef struct {
    const idci_colour_transform *transform;
    uint8_t encoded[STEPS];  // sRGB values of linear light.
} conversion;

// IEC 61966-2-1.
static uint8_t srgb_from_linear(double linear) {
    double encoded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (uint8_t)lrint(encoded * 255);
}

static void prepare(conversion *c, const idci_colour_transform *transform) {
    c->transform = transform;
    for (int i = 0; i < STEPS; i++) c->encoded[i] = srgb_from_linear((double)i / (STEPS - 1));
}

static void convert(const conversion *c, uint8_t *rgb) {
    const float *m = c->transform->matrix;
    float r = c->transform->linear[0][rgb[0]];
    float g = c->transform->linear[1][rgb[1]];
    float b = c->transform->linear[2][rgb[2]];
    for (int i = 0; i < 3; i++) {
        float value = m[i * 3] * r + m[i * 3 + 1] * g + m[i * 3 + 2] * b;
        if (!(value > 0)) value = 0;  // Not a number counts as black.
        if (value > 1) value = 1;
        rgb[i] = c->encoded[(int)(value * (STEPS - 1) + 0.5f)];
    }
}

void idci_pixels_to_srgb(uint8_t *pixels, size_t count, const idci_colour_transform *transform) {
    conversion conversion;
    prepare(&conversion, transform);
    for (size_t p = 0; p < count; p++) convert(&conversion, pixels + p * CHANNELS);
}

static uint8_t *sample(const idci_plane *plane, uint32_t x, uint32_t y) {
    return plane->samples + (size_t)y * plane->stride + x;
}

// Converts the up to four pixels that share the chroma sample at `x`, `y`; it becomes the mean of theirs.
static void convert_square(const conversion *c, idci_planes *planes, uint32_t x, uint32_t y) {
    uint8_t *blue = sample(&planes->reducers[1].target, x, y), *red = sample(&planes->reducers[2].target, x, y);
    const int32_t cb = *blue, cr = *red;
    int32_t blues = 0, reds = 0, count = 0;
    for (uint32_t down = 2 * y; down < 2 * y + 2 && down < planes->height; down++) {
        for (uint32_t across = 2 * x; across < 2 * x + 2 && across < planes->width; across++, count++) {
            uint8_t *luma = sample(&planes->reducers[0].target, across, down), rgb[3], converted[2];
            idci_to_rgb(*luma, cb, cr, rgb);
            convert(c, rgb);
            idci_to_ycc(rgb, luma, &converted[0], &converted[1]);
            blues += converted[0];
            reds += converted[1];
        }
    }
    *blue = (uint8_t)((blues + count / 2) / count);
    *red = (uint8_t)((reds + count / 2) / count);
}

void idci_planes_to_srgb(idci_planes *planes, const idci_colour_transform *transform) {
    conversion conversion;
    prepare(&conversion, transform);
    const idci_plane *chroma = &planes->reducers[1].target;
    for (uint32_t y = 0; y < chroma->height; y++) {
        for (uint32_t x = 0; x < chroma->width; x++) convert_square(&conversion, planes, x, y);
    }
}

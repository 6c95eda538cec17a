#include <math.h>

#include "idci_image.h"

enum { STEPS = 16384 };

// IEC 61966-2-1.
static uint8_t srgb_from_linear(double linear) {
    double encoded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (uint8_t)lrint(encoded * 255);
}

void idci_pixels_to_srgb(uint8_t *pixels, size_t count, const idci_colour_transform *transform) {
    uint8_t encoded[STEPS];
    for (int i = 0; i < STEPS; i++) encoded[i] = srgb_from_linear((double)i / (STEPS - 1));
    const float *m = transform->matrix;
    for (size_t p = 0; p < count; p++, pixels += 4) {
        float r = transform->linear[0][pixels[0]];
        float g = transform->linear[1][pixels[1]];
        float b = transform->linear[2][pixels[2]];
        for (int i = 0; i < 3; i++) {
            float value = m[i * 3] * r + m[i * 3 + 1] * g + m[i * 3 + 2] * b;
            if (!(value > 0)) value = 0;  // Not a number counts as black.
            if (value > 1) value = 1;
            pixels[i] = encoded[(int)(value * (STEPS - 1) + 0.5f)];
        }
    }
}

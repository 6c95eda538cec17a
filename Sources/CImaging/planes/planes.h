// What a decoder, the encoder and the colour conversion know of planes.

#ifndef IDCI_PLANES_PARTS_H
#define IDCI_PLANES_PARTS_H

#include "idci_planes.h"
#include "plane_reducer.h"

enum { IDCI_PLANES = 3 };  // Y, Cb, Cr

struct idci_planes {
    idci_reduction reduction;
    uint32_t width, height;  // Upright.
    idci_plane_reducer reducers[IDCI_PLANES];
};

// How the samples of one component lie on the picture.
typedef struct {
    uint32_t width, height;     // In samples.
    double across, down;        // Samples per pixel of the stored picture.
    uint32_t strip;             // How many rows arrive at a time.
    size_t row_bytes;           // How many bytes a row may take where it is written.
} idci_component;

// Makes plane `index` ready for the rows of a component; false when memory is short.
bool idci_planes_expect(idci_planes *planes, int index, const idci_component *component);

// Makes ready for rows of pixels; false when memory is short.
bool idci_planes_expect_rows(idci_planes *planes);

// Takes the next row of RGBX pixels; always true. The context is the planes.
bool idci_planes_push(void *planes, const uint8_t *row, uint32_t y);

// Whether every row of the target is there.
bool idci_planes_are_complete(const idci_planes *planes);

// JFIF 1.02: luma and chroma of full range, chroma around 128.
static inline void idci_to_ycc(const uint8_t *rgb, uint8_t *y, uint8_t *cb, uint8_t *cr) {
    int32_t r = rgb[0], g = rgb[1], b = rgb[2];
    *y = (uint8_t)((19595 * r + 38470 * g + 7471 * b + 32768) >> 16);
    *cb = (uint8_t)((-11059 * r - 21709 * g + 32768 * b + (128 << 16) + 32767) >> 16);
    *cr = (uint8_t)((32768 * r - 27439 * g - 5329 * b + (128 << 16) + 32767) >> 16);
}

static inline uint8_t idci_clamped(int32_t value) {
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static inline void idci_to_rgb(int32_t y, int32_t cb, int32_t cr, uint8_t *rgb) {
    int32_t blue = cb - 128, red = cr - 128;
    rgb[0] = idci_clamped(y + ((91881 * red + 32768) >> 16));
    rgb[1] = idci_clamped(y + ((-22554 * blue - 46802 * red + 32768) >> 16));
    rgb[2] = idci_clamped(y + ((116130 * blue + 32768) >> 16));
}

#endif

// The view of planes that the decoders, the encoder and the colour conversion share.

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

// The position of the samples of one component on the picture.
typedef struct {
    uint32_t width, height;     // In samples.
    double across, down;        // Samples per pixel of the stored picture.
    uint32_t strip;             // Rows that arrive at a time.
    size_t row_bytes;           // Bytes of a row in the ring.
} idci_component;

// Prepares plane `index` for the rows of a component; false when memory is short.
bool idci_planes_expect(idci_planes *planes, int index, const idci_component *component);

// Fills the chroma planes of a grey picture with 128; false when memory is short.
bool idci_planes_expect_grey(idci_planes *planes);

// Prepares for rows of pixels; false when memory is short.
bool idci_planes_expect_rows(idci_planes *planes);

// Adds the next row of RGBX pixels; always true. `planes` is an idci_planes.
bool idci_planes_push(void *planes, const uint8_t *row, uint32_t y);

bool idci_planes_are_complete(const idci_planes *planes);

// JFIF 1.02: luma and chroma of full range, chroma centred at 128; chroma from the sums of 2^bits colours.
static inline uint8_t idci_luma(int32_t r, int32_t g, int32_t b) {
    return (uint8_t)((19595 * r + 38470 * g + 7471 * b + 32768) >> 16);
}

static inline uint8_t idci_cb(int32_t r, int32_t g, int32_t b, int bits) {
    return (uint8_t)((-11059 * r - 21709 * g + 32768 * b + (257 << (15 + bits)) - 1) >> (16 + bits));
}

static inline uint8_t idci_cr(int32_t r, int32_t g, int32_t b, int bits) {
    return (uint8_t)((32768 * r - 27439 * g - 5329 * b + (257 << (15 + bits)) - 1) >> (16 + bits));
}

static inline uint8_t idci_clamped(int32_t value) {
    if (value < 0) return 0;
    return (uint8_t)(value > 255 ? 255 : value);
}

// Computes the offsets from luma to red, green and blue.
static inline void idci_chroma_offsets(int32_t cb, int32_t cr, int32_t *offsets) {
    int32_t blue = cb - 128, red = cr - 128;
    offsets[0] = (91881 * red + 32768) >> 16;
    offsets[1] = (-22554 * blue - 46802 * red + 32768) >> 16;
    offsets[2] = (116130 * blue + 32768) >> 16;
}

#endif

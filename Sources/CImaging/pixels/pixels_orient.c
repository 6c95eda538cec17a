#include <string.h>

#include "idci_image.h"

typedef struct {
    uint8_t bytes[4];
} pixel;

enum { TILE = 16 };  // Small squares keep both pictures in the cache when rows become columns.

static void copy_row(const pixel *source, pixel *target, uint32_t width, bool mirrored) {
    if (!mirrored) {
        memcpy(target, source, (size_t)width * sizeof *source);
        return;
    }
    for (uint32_t x = 0; x < width; x++) target[width - 1 - x] = source[x];
}

static void transpose_tile(
    const pixel *source, uint32_t width, uint32_t height, uint32_t left, uint32_t top, bool from_bottom,
    bool from_right, pixel *target
) {
    uint32_t right = left + TILE < width ? left + TILE : width;
    uint32_t bottom = top + TILE < height ? top + TILE : height;
    for (uint32_t x = left; x < right; x++) {
        pixel *row = target + (size_t)(from_right ? width - 1 - x : x) * height;
        for (uint32_t y = top; y < bottom; y++) {
            row[from_bottom ? height - 1 - y : y] = source[(size_t)y * width + x];
        }
    }
}

void idci_pixels_orient(
    const uint8_t *source, uint32_t width, uint32_t height, int32_t orientation, uint8_t *target
) {
    const pixel *from = (const pixel *)source;
    pixel *to = (pixel *)target;
    if (orientation < 5) {
        bool mirrored = orientation == 2 || orientation == 3, upside_down = orientation == 3 || orientation == 4;
        for (uint32_t y = 0; y < height; y++) {
            uint32_t target_y = upside_down ? height - 1 - y : y;
            copy_row(from + (size_t)y * width, to + (size_t)target_y * width, width, mirrored);
        }
        return;
    }
    // 5 transposed, 6 turned right, 7 transversed, 8 turned left.
    bool from_bottom = orientation == 6 || orientation == 7, from_right = orientation == 7 || orientation == 8;
    for (uint32_t top = 0; top < height; top += TILE) {
        for (uint32_t left = 0; left < width; left += TILE) {
            transpose_tile(from, width, height, left, top, from_bottom, from_right, to);
        }
    }
}

// Reduces and rotates one plane of samples while its rows are decoded.
//
// Rows arrive from top to bottom in a ring buffer just high enough for one target row. They are reduced vertically into
// a band of sixteen target rows, transposed so that a vector holds one column of all sixteen, and reduced horizontally;
// the resulting squares are written at their place in the upright picture, so that a rotation costs no extra pass.

#ifndef IDCI_PLANE_REDUCER_H
#define IDCI_PLANE_REDUCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

// A plane of 8-bit samples. Rows may be written 16 samples beyond either end.
typedef struct {
    uint8_t *memory;
    uint8_t *samples;
    size_t stride;
    uint32_t width, height;
} idci_plane;

// The scaling of one axis of a plane.
typedef struct {
    uint32_t source, target;  // In samples.
    double ratio;             // The width of a target sample in source samples.
    double offset;            // Shift of the target's grid, in source samples.
} idci_axis;

typedef struct {
    idci_axis across, down;
    bool scales_across, scales_down;
    int32_t orientation;
    idci_kernel across_kernel, down_kernel;
    uint8_t *ring, *band, *columns;
    const uint8_t **window;   // The rows of one window with a nonzero weight,
    int16_t *window_weights;  // and their weights.
    uint32_t ring_rows;
    size_t row_bytes;
    uint32_t next_target;
    idci_plane target;
} idci_plane_reducer;

// Returns the bytes that a reducer holds, its target plane included, when `strip` rows arrive at a time.
uint64_t idci_plane_reducer_memory(const idci_axis *across, const idci_axis *down, uint32_t strip, bool turned);

// Prepares for a plane; `strip` rows arrive at a time, and a source row has `row_bytes` bytes in the ring. False when
// memory is short.
bool idci_plane_reducer_start(
    idci_plane_reducer *reducer, idci_axis across, idci_axis down, int32_t orientation, uint32_t strip,
    size_t row_bytes);

// Makes a complete target plane of one value; no source row is expected. False when memory is short.
bool idci_plane_reducer_fill(idci_plane_reducer *reducer, uint32_t width, uint32_t height, uint8_t value);

// Returns the address to which source row `y` must be written.
uint8_t *idci_plane_reducer_row(const idci_plane_reducer *reducer, uint32_t y);

// Reduces every target row whose window is complete with the first `rows` source rows, and writes full bands.
void idci_plane_reducer_advance(idci_plane_reducer *reducer, uint32_t rows);

bool idci_plane_reducer_is_complete(const idci_plane_reducer *reducer);

// Repeats the last column up to `width`, as an encoder reads whole blocks.
void idci_plane_pad(const idci_plane *plane, uint32_t width);

void idci_plane_reducer_clear(idci_plane_reducer *reducer);

#endif

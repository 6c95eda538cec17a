// Reduces and turns one plane of samples while its rows are decoded.
//
// Rows come in from top to bottom through a ring just high enough for a band of sixteen target rows (four bands where
// the picture is turned). They are reduced vertically, transposed so that a vector holds one column of all sixteen, and
// reduced horizontally; the squares that
// come out are written where Exif's orientation wants them, so that a turn costs nothing of its own.

#ifndef IDC_PLANE_REDUCER_H
#define IDC_PLANE_REDUCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

// Memory that grows and is used again.
typedef struct {
    uint8_t *bytes;
    size_t capacity;
} idc_room;

// A plane of 8-bit samples. Rows may be written 16 samples beyond either end.
typedef struct {
    idc_room room;
    uint8_t *samples;
    size_t stride;
    uint32_t width, height;
} idc_plane;

// How one axis of a plane becomes another.
typedef struct {
    uint32_t source, target;  // In samples.
    double ratio;             // The width of a target sample in source samples.
    double offset;            // By how many source samples the target's grid is moved.
} idc_axis;

typedef struct {
    idc_axis across, down;
    bool scales_across, scales_down;
    int32_t orientation;
    idc_kernel across_kernel, down_kernel;
    idc_room ring, group, columns;
    idc_room window, window_weights;  // The rows of one window that have a weight, and their weights.
    uint32_t ring_rows;
    uint32_t bands;  // Of sixteen rows each, that are written at a time.
    size_t row_bytes;
    uint32_t next_target;
    idc_plane target;
} idc_plane_reducer;

// Makes ready for a plane; `strip` is how many rows arrive at a time, `row_bytes` how many bytes a source row may take
// in the ring. False when memory is short.
bool idc_plane_reducer_start(
    idc_plane_reducer *reducer, idc_axis across, idc_axis down, int32_t orientation, uint32_t strip, size_t row_bytes);

// Where source row `y` is to be written.
uint8_t *idc_plane_reducer_row(const idc_plane_reducer *reducer, uint32_t y);

// Writes every group of target rows whose windows are complete now that `rows` source rows are there.
void idc_plane_reducer_advance(idc_plane_reducer *reducer, uint32_t rows);

// Whether every target row has been written.
bool idc_plane_reducer_is_complete(const idc_plane_reducer *reducer);

// Repeats the last column up to `width`, as an encoder reads whole blocks.
void idc_plane_pad(const idc_plane *plane, uint32_t width);

// The memory it holds, in bytes.
size_t idc_plane_reducer_size(const idc_plane_reducer *reducer);

// Frees all memory.
void idc_plane_reducer_clear(idc_plane_reducer *reducer);

#endif

#include "plane_reducer.h"

#include <stdlib.h>
#include <string.h>

#include "plane_passes.h"

enum {
    LANES = IDCI_LANES,
    MARGIN = LANES,      // A vector's width to either side of a row: edge squares are written whole.
    ALIGNMENT = 64,
};

static size_t round_up(size_t value, size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

// Allocates whole cache lines; NULL when memory is short.
static void *allocate(size_t bytes) {
    return aligned_alloc(ALIGNMENT, round_up(bytes, ALIGNMENT));
}

static bool is_identity(const idci_axis *axis) {
    return axis->source == axis->target && axis->ratio == 1 && axis->offset == 0;
}

// Returns the number of rows in the ring: those that a kernel needs, or a band if rows are only copied, and one strip.
static uint32_t ring_rows(const idci_axis *down, uint32_t strip) {
    uint32_t needed = is_identity(down) ? LANES : idci_kernel_taps(down->source, down->ratio);
    return (needed < down->source ? needed : down->source) + strip;
}

static uint64_t kernel_memory(const idci_axis *axis) {
    if (is_identity(axis)) return 0;
    uint64_t weights = idci_kernel_taps(axis->source, axis->ratio) * sizeof(int16_t);
    return axis->target * (weights + sizeof(uint32_t));
}

// Returns the bytes of a row with its padding, which takes more than the samples in a narrow plane.
static size_t plane_stride(uint32_t width) { return round_up(width, ALIGNMENT) + 2 * MARGIN + LANES; }

uint64_t idci_plane_reducer_memory(const idci_axis *across, const idci_axis *down, uint32_t strip, bool turned) {
    uint64_t rows = ring_rows(down, strip) + 2 * LANES;  // The band and its columns, too.
    uint32_t width = turned ? down->target : across->target, height = turned ? across->target : down->target;
    return rows * round_up(across->source, ALIGNMENT) + kernel_memory(across) + kernel_memory(down)
        + plane_stride(width) * (uint64_t)height;
}

static bool make_kernel(idci_kernel *kernel, bool scales, const idci_axis *axis) {
    return !scales || idci_kernel_make(kernel, axis->source, axis->target, axis->ratio, axis->offset);
}

static bool make_plane(idci_plane *plane, uint32_t width, uint32_t height) {
    plane->width = width;
    plane->height = height;
    plane->stride = plane_stride(width);
    plane->memory = allocate(plane->stride * height + 2 * MARGIN);
    if (plane->memory == NULL) return false;
    plane->samples = plane->memory + MARGIN;
    return true;
}

static bool allocate_buffers(idci_plane_reducer *reducer, uint32_t taps) {
    reducer->ring = allocate(reducer->row_bytes * reducer->ring_rows);
    reducer->band = allocate(reducer->row_bytes * LANES);
    reducer->columns = allocate(reducer->row_bytes * LANES);
    reducer->window = malloc(taps * sizeof *reducer->window);
    reducer->window_weights = malloc(taps * sizeof *reducer->window_weights);
    return reducer->ring != NULL && reducer->band != NULL && reducer->columns != NULL && reducer->window != NULL
        && reducer->window_weights != NULL;
}

bool idci_plane_reducer_start(
    idci_plane_reducer *reducer, idci_axis across, idci_axis down, int32_t orientation, uint32_t strip, size_t row_bytes
) {
    bool turned = orientation >= 5;
    idci_plane_reducer_clear(reducer);
    reducer->across = across;
    reducer->down = down;
    reducer->orientation = orientation;
    reducer->scales_across = !is_identity(&across);
    reducer->scales_down = !is_identity(&down);
    bool kernels = make_kernel(&reducer->across_kernel, reducer->scales_across, &across)
        && make_kernel(&reducer->down_kernel, reducer->scales_down, &down);
    if (!kernels) return false;
    uint32_t taps = reducer->scales_down ? reducer->down_kernel.taps : 1;
    reducer->ring_rows = ring_rows(&down, strip);
    // The passes read and write whole vectors.
    reducer->row_bytes = round_up(row_bytes > across.source ? row_bytes : across.source, ALIGNMENT);
    return allocate_buffers(reducer, taps)
        && make_plane(
            &reducer->target, turned ? down.target : across.target, turned ? across.target : down.target);
}

bool idci_plane_reducer_fill(idci_plane_reducer *reducer, uint32_t width, uint32_t height, uint8_t value) {
    idci_plane_reducer_clear(reducer);
    idci_plane *plane = &reducer->target;
    if (!make_plane(plane, width, height)) return false;
    memset(plane->samples, value, plane->stride * height);
    return true;
}

uint8_t *idci_plane_reducer_row(const idci_plane_reducer *reducer, uint32_t y) {
    return reducer->ring + (size_t)(y % reducer->ring_rows) * reducer->row_bytes;
}

// MARK: - A band of sixteen rows

static void reduce_row(const idci_plane_reducer *r, uint32_t y) {
    const uint32_t taps = r->down_kernel.taps, first = r->down_kernel.first[y];
    const int16_t *weights = r->down_kernel.weights + (size_t)y * taps;
    uint32_t used = 0;
    for (uint32_t t = 0; t < taps; t++) {
        if (weights[t] == 0) continue;
        r->window[used] = idci_plane_reducer_row(r, first + t);
        r->window_weights[used++] = weights[t];
    }
    idci_pass_down(r->window, r->window_weights, used, r->row_bytes, r->band + y % LANES * r->row_bytes);
}

// Collects the rows of the band from `y`, reduced or unchanged; the last row is repeated beyond the end.
static void gather(const idci_plane_reducer *r, uint32_t y, const uint8_t *rows[LANES]) {
    for (uint32_t j = 0; j < LANES; j++) {
        if (y + j >= r->down.target) {
            rows[j] = rows[j - 1];
        } else if (r->scales_down) {
            rows[j] = r->band + j * r->row_bytes;
        } else {
            rows[j] = idci_plane_reducer_row(r, y + j);
        }
    }
}

// Stores a square whose vectors are parts of the target's rows.
static void store(const idci_plane_reducer *r, const idci_square *square, uint32_t x, uint32_t y) {
    bool turned = r->orientation >= 5;
    bool backwards = turned ? r->orientation == 6 || r->orientation == 7 : r->orientation == 2 || r->orientation == 3;
    bool upwards = turned ? r->orientation == 7 || r->orientation == 8 : r->orientation == 3 || r->orientation == 4;
    const idci_plane *plane = &r->target;
    uint32_t row = turned ? x : y, at = turned ? y : x;
    uint32_t count = plane->height - row < LANES ? plane->height - row : LANES;
    ptrdiff_t column = backwards ? (ptrdiff_t)plane->width - LANES - (ptrdiff_t)at : (ptrdiff_t)at;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t target = upwards ? plane->height - 1 - row - i : row + i;
        uint8_t *out = plane->samples + (size_t)target * plane->stride + column;
        idci_bytes value = backwards ? idci_reversed(square->vectors[i]) : square->vectors[i];
        memcpy(out, &value, sizeof value);
    }
}

static void write_scaled(const idci_plane_reducer *r, const uint8_t *const *rows, uint32_t y) {
    const idci_kernel *kernel = &r->across_kernel;
    idci_columns(rows, r->row_bytes, r->columns);
    for (uint32_t x = 0; x < r->across.target; x += LANES) {
        uint32_t count = r->across.target - x < LANES ? r->across.target - x : LANES;
        const int16_t *weights = kernel->weights + (size_t)x * kernel->taps;
        idci_square square;
        idci_pass_across(r->columns, kernel->first + x, weights, kernel->taps, count, &square);
        if (r->orientation < 5) idci_transpose(&square);
        store(r, &square, x, y);
    }
}

static void write_copied(const idci_plane_reducer *r, const uint8_t *const *rows, uint32_t y) {
    for (uint32_t x = 0; x < r->across.target; x += LANES) {
        idci_square square;
        for (uint32_t j = 0; j < LANES; j++) memcpy(&square.vectors[j], rows[j] + x, LANES);
        if (r->orientation >= 5) idci_transpose(&square);
        store(r, &square, x, y);
    }
}

static void write_band(const idci_plane_reducer *r, uint32_t y) {
    const uint8_t *band[LANES];
    gather(r, y, band);
    if (r->scales_across) {
        write_scaled(r, band, y);
    } else {
        write_copied(r, band, y);
    }
}

// Whether the first `rows` source rows are enough for target row `y`.
static bool is_ready(const idci_plane_reducer *r, uint32_t y, uint32_t rows) {
    if (!r->scales_down) return y < rows;
    return r->down_kernel.first[y] + r->down_kernel.taps <= rows;
}

void idci_plane_reducer_advance(idci_plane_reducer *reducer, uint32_t rows) {
    if (rows > reducer->down.source) rows = reducer->down.source;
    while (reducer->next_target < reducer->down.target && is_ready(reducer, reducer->next_target, rows)) {
        uint32_t y = reducer->next_target++;
        if (reducer->scales_down) reduce_row(reducer, y);
        bool is_last = reducer->next_target == reducer->down.target;
        if (is_last || reducer->next_target % LANES == 0) write_band(reducer, y - y % LANES);
    }
}

bool idci_plane_reducer_is_complete(const idci_plane_reducer *reducer) {
    return reducer->next_target == reducer->down.target;
}

void idci_plane_pad(const idci_plane *plane, uint32_t width) {
    if (width <= plane->width) return;
    for (uint32_t y = 0; y < plane->height; y++) {
        uint8_t *row = plane->samples + (size_t)y * plane->stride;
        memset(row + plane->width, row[plane->width - 1], width - plane->width);
    }
}

void idci_plane_reducer_clear(idci_plane_reducer *reducer) {
    idci_kernel_clear(&reducer->across_kernel);
    idci_kernel_clear(&reducer->down_kernel);
    free(reducer->ring);
    free(reducer->band);
    free(reducer->columns);
    free(reducer->window);
    free(reducer->window_weights);
    free(reducer->target.memory);
    memset(reducer, 0, sizeof *reducer);
}

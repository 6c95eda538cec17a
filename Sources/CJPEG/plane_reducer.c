#include "plane_reducer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "plane_passes.h"

enum {
    LANES = IDC_LANES,
    MARGIN = LANES,      // A vector's width to either side of a row: edge squares are written whole.
    ALIGNMENT = 64,
    MOST_BANDS = 4,      // Of sixteen rows each, of a picture that is turned: what they become is a whole cache line.
    MOST_ROWS = MOST_BANDS * LANES,
    HUGE_PAGE = 2 << 20,
};

static size_t round_up(size_t value, size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

static bool room_ensure(idc_room *room, size_t bytes) {
    if (room->capacity >= bytes) return true;
    // Turned pictures are written all over: with small pages each square costs a walk through the page tables.
    size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : ALIGNMENT, rounded = round_up(bytes, alignment);
    free(room->bytes);
    room->bytes = aligned_alloc(alignment, rounded);
    room->capacity = room->bytes != NULL ? rounded : 0;
    if (room->bytes != NULL && alignment == HUGE_PAGE) madvise(room->bytes, rounded, MADV_HUGEPAGE);
    return room->bytes != NULL;
}

static bool is_identity(const idc_axis *axis) {
    return axis->source == axis->target && axis->ratio == 1 && axis->offset == 0;
}

static bool kernel_ready(idc_kernel *kernel, bool scales, const idc_axis *axis) {
    return !scales || idc_kernel_ensure(kernel, axis->source, axis->target, axis->ratio, axis->offset);
}

static bool plane_ready(idc_plane *plane, uint32_t width, uint32_t height) {
    plane->width = width;
    plane->height = height;
    plane->stride = round_up(width, ALIGNMENT) + 2 * MARGIN + LANES;
    if (!room_ensure(&plane->room, plane->stride * height + 2 * MARGIN)) return false;
    plane->samples = plane->room.bytes + MARGIN;
    return true;
}

bool idc_plane_reducer_start(
    idc_plane_reducer *reducer, idc_axis across, idc_axis down, int32_t orientation, uint32_t strip, size_t row_bytes
) {
    bool turned = orientation >= 5;
    reducer->across = across;
    reducer->down = down;
    reducer->orientation = orientation;
    reducer->scales_across = !is_identity(&across);
    reducer->scales_down = !is_identity(&down);
    reducer->next_target = 0;
    bool kernels = kernel_ready(&reducer->across_kernel, reducer->scales_across, &across)
        && kernel_ready(&reducer->down_kernel, reducer->scales_down, &down);
    if (!kernels) return false;
    uint32_t taps = reducer->scales_down ? reducer->down_kernel.taps : 1;
    reducer->bands = turned ? MOST_BANDS : 1;
    uint32_t rows = reducer->bands * LANES;
    reducer->ring_rows = (uint32_t)ceil(rows * down.ratio) + 2 + taps + strip;
    if (reducer->ring_rows > down.source + strip) reducer->ring_rows = down.source + strip;  // All of them.
    // The passes read and write whole vectors.
    reducer->row_bytes = round_up(row_bytes > across.source ? row_bytes : across.source, ALIGNMENT);
    return room_ensure(&reducer->ring, reducer->row_bytes * reducer->ring_rows)
        && room_ensure(&reducer->group, reducer->row_bytes * rows)
        && room_ensure(&reducer->columns, reducer->row_bytes * rows)
        && room_ensure(&reducer->window, taps * sizeof(uint8_t *))
        && room_ensure(&reducer->window_weights, taps * sizeof(int16_t))
        && plane_ready(
            &reducer->target, turned ? down.target : across.target, turned ? across.target : down.target);
}

uint8_t *idc_plane_reducer_row(const idc_plane_reducer *reducer, uint32_t y) {
    return reducer->ring.bytes + (size_t)(y % reducer->ring_rows) * reducer->row_bytes;
}

// MARK: - A group of bands of sixteen rows each

static void reduce_row(const idc_plane_reducer *r, uint32_t y, uint8_t *out) {
    const uint32_t taps = r->down_kernel.taps, first = r->down_kernel.first[y];
    const int16_t *weights = r->down_kernel.weights + (size_t)y * taps;
    const uint8_t **rows = (const uint8_t **)(void *)r->window.bytes;
    int16_t *used_weights = (int16_t *)(void *)r->window_weights.bytes;
    uint32_t used = 0;
    for (uint32_t t = 0; t < taps; t++) {
        if (weights[t] == 0) continue;
        rows[used] = idc_plane_reducer_row(r, first + t);
        used_weights[used++] = weights[t];
    }
    idc_pass_down(rows, used_weights, used, r->row_bytes, out);
}

// The rows of a group, reduced or as they are; the last one stands for those beyond the end.
static void gather(const idc_plane_reducer *r, uint32_t y, uint32_t bands, const uint8_t *rows[MOST_ROWS]) {
    for (uint32_t j = 0; j < bands * LANES; j++) {
        if (y + j >= r->down.target) {
            rows[j] = rows[j - 1];
        } else if (r->scales_down) {
            uint8_t *row = r->group.bytes + j * r->row_bytes;
            reduce_row(r, y + j, row);
            rows[j] = row;
        } else {
            rows[j] = idc_plane_reducer_row(r, y + j);
        }
    }
}

// Stores a square whose vectors run along the target's rows.
static void store(const idc_plane_reducer *r, const idc_square *square, uint32_t x, uint32_t y) {
    bool turned = r->orientation >= 5;
    bool backwards = turned ? r->orientation == 6 || r->orientation == 7 : r->orientation == 2 || r->orientation == 3;
    bool upwards = turned ? r->orientation == 7 || r->orientation == 8 : r->orientation == 3 || r->orientation == 4;
    const idc_plane *plane = &r->target;
    uint32_t row = turned ? x : y, at = turned ? y : x;
    uint32_t count = plane->height - row < LANES ? plane->height - row : LANES;
    ptrdiff_t column = backwards ? (ptrdiff_t)plane->width - LANES - (ptrdiff_t)at : (ptrdiff_t)at;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t target = upwards ? plane->height - 1 - row - i : row + i;
        uint8_t *out = plane->samples + (size_t)target * plane->stride + column;
        idc_bytes value = backwards ? idc_reversed(square->vectors[i]) : square->vectors[i];
        memcpy(out, &value, sizeof value);
    }
}

static void write_scaled(const idc_plane_reducer *r, const uint8_t *const *rows, uint32_t y, uint32_t bands) {
    const idc_kernel *kernel = &r->across_kernel;
    size_t band_bytes = r->row_bytes * LANES;
    for (uint32_t band = 0; band < bands; band++) {
        idc_columns(rows + band * LANES, r->row_bytes, r->columns.bytes + band * band_bytes);
    }
    for (uint32_t x = 0; x < r->across.target; x += LANES) {
        uint32_t count = r->across.target - x < LANES ? r->across.target - x : LANES;
        const int16_t *weights = kernel->weights + (size_t)x * kernel->taps;
        for (uint32_t band = 0; band < bands; band++) {
            idc_square square;
            const uint8_t *columns = r->columns.bytes + band * band_bytes;
            idc_pass_across(columns, kernel->first + x, weights, kernel->taps, count, &square);
            if (r->orientation < 5) idc_transpose(&square);
            store(r, &square, x, y + band * LANES);
        }
    }
}

static void write_copied(const idc_plane_reducer *r, const uint8_t *const *rows, uint32_t y, uint32_t bands) {
    for (uint32_t x = 0; x < r->across.target; x += LANES) {
        for (uint32_t band = 0; band < bands; band++) {
            idc_square square;
            for (uint32_t j = 0; j < LANES; j++) memcpy(&square.vectors[j], rows[band * LANES + j] + x, LANES);
            if (r->orientation >= 5) idc_transpose(&square);
            store(r, &square, x, y + band * LANES);
        }
    }
}

static bool is_ready(const idc_plane_reducer *r, uint32_t last, uint32_t rows) {
    if (!r->scales_down) return last < rows;
    return r->down_kernel.first[last] + r->down_kernel.taps <= rows;
}

void idc_plane_reducer_advance(idc_plane_reducer *reducer, uint32_t rows) {
    if (rows > reducer->down.source) rows = reducer->down.source;
    while (reducer->next_target < reducer->down.target) {
        uint32_t y = reducer->next_target, rest = reducer->down.target - y, most = reducer->bands * LANES;
        uint32_t count = rest < most ? rest : most, bands = (count + LANES - 1) / LANES;
        if (!is_ready(reducer, y + count - 1, rows)) break;
        const uint8_t *group[MOST_ROWS];
        gather(reducer, y, bands, group);
        if (reducer->scales_across) {
            write_scaled(reducer, group, y, bands);
        } else {
            write_copied(reducer, group, y, bands);
        }
        reducer->next_target += count;
    }
}

bool idc_plane_reducer_is_complete(const idc_plane_reducer *reducer) {
    return reducer->next_target == reducer->down.target;
}

void idc_plane_pad(const idc_plane *plane, uint32_t width) {
    if (width <= plane->width) return;
    for (uint32_t y = 0; y < plane->height; y++) {
        uint8_t *row = plane->samples + (size_t)y * plane->stride;
        memset(row + plane->width, row[plane->width - 1], width - plane->width);
    }
}

size_t idc_plane_reducer_size(const idc_plane_reducer *reducer) {
    return reducer->ring.capacity + reducer->group.capacity + reducer->columns.capacity + reducer->window.capacity
        + reducer->window_weights.capacity + reducer->target.room.capacity + idc_kernel_size(&reducer->across_kernel)
        + idc_kernel_size(&reducer->down_kernel);
}

void idc_plane_reducer_clear(idc_plane_reducer *reducer) {
    idc_kernel_clear(&reducer->across_kernel);
    idc_kernel_clear(&reducer->down_kernel);
    free(reducer->ring.bytes);
    free(reducer->group.bytes);
    free(reducer->columns.bytes);
    free(reducer->window.bytes);
    free(reducer->window_weights.bytes);
    free(reducer->target.room.bytes);
    memset(reducer, 0, sizeof *reducer);
}

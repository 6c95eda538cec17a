#include "planes.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHANNELS = 4,
    MAX_STRIP_ROWS = 32,  // Four times eight: the highest sampling factor at full size.
};

static bool is_possible(const idci_reduction *r) {
    return r != NULL && r->target_width > 0 && r->target_height > 0 && r->target_width <= r->width
        && r->target_height <= r->height;
}

idci_planes *idci_planes_create(const idci_reduction *reduction) {
    if (!is_possible(reduction)) return NULL;
    idci_planes *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    bool turned = reduction->orientation >= 5;
    made->reduction = *reduction;
    made->width = turned ? reduction->target_height : reduction->target_width;
    made->height = turned ? reduction->target_width : reduction->target_height;
    return made;
}

void idci_planes_destroy(idci_planes *planes) {
    if (planes == NULL) return;
    for (int i = 0; i < IDCI_PLANES; i++) idci_plane_reducer_clear(&planes->reducers[i]);
    free(planes);
}

// MARK: - Geometry

// A chroma sample lies at the centre of its four luma samples, so all planes cover the same picture. If an edge is odd,
// the last chroma sample extends beyond it; in a mirrored picture, beyond the opposite edge.
static idci_axis axis_of(
    uint32_t edge, uint32_t samples, double density, uint32_t target, bool is_chroma, bool mirrored
) {
    idci_axis axis = {.source = samples, .target = is_chroma ? (target + 1) / 2 : target};
    axis.ratio = edge * density / target * (is_chroma ? 2 : 1);
    if (is_chroma && mirrored && target % 2 == 1) axis.offset = -axis.ratio / 2;
    return axis;
}

bool idci_planes_expect(idci_planes *planes, int index, const idci_component *component) {
    const idci_reduction *r = &planes->reduction;
    int32_t turn = r->orientation;
    bool mirrored_across = turn == 2 || turn == 3 || turn == 7 || turn == 8;
    bool mirrored_down = turn == 3 || turn == 4 || turn == 6 || turn == 7;
    idci_axis across = axis_of(
        r->width, component->width, component->across, r->target_width, index > 0, mirrored_across);
    idci_axis down = axis_of(r->height, component->height, component->down, r->target_height, index > 0, mirrored_down);
    return idci_plane_reducer_start(
        &planes->reducers[index], across, down, turn, component->strip, component->row_bytes);
}

bool idci_planes_expect_grey(idci_planes *planes) {
    for (int i = 1; i < IDCI_PLANES; i++) {
        uint32_t width = (planes->width + 1) / 2, height = (planes->height + 1) / 2;
        if (!idci_plane_reducer_fill(&planes->reducers[i], width, height, 128)) return false;
    }
    return true;
}

// Describes rows of pixels as a component: each pixel has all three samples.
static idci_component pixels_of(const idci_reduction *r, uint32_t strip) {
    uint32_t width = (uint32_t)(((uint64_t)r->width * r->scale + 7) / 8);
    uint32_t height = (uint32_t)(((uint64_t)r->height * r->scale + 7) / 8);
    double density = r->scale / 8.0;
    return (idci_component){width, height, density, density, strip, width};
}

uint64_t idci_planes_memory(const idci_reduction *r) {
    idci_component whole = pixels_of(r, MAX_STRIP_ROWS);
    uint64_t bytes = 0;
    for (int i = 0; i < IDCI_PLANES; i++) {
        idci_axis across = axis_of(r->width, whole.width, whole.across, r->target_width, i > 0, false);
        idci_axis down = axis_of(r->height, whole.height, whole.down, r->target_height, i > 0, false);
        bytes += idci_plane_reducer_memory(&across, &down, MAX_STRIP_ROWS, r->orientation >= 5);
    }
    return bytes;
}

// MARK: - Rows

bool idci_planes_expect_rows(idci_planes *planes) {
    idci_component pixels = pixels_of(&planes->reduction, 1);
    for (int i = 0; i < IDCI_PLANES; i++) {
        if (!idci_planes_expect(planes, i, &pixels)) return false;
    }
    return true;
}

bool idci_planes_push(void *context, const uint8_t *row, uint32_t y) {
    idci_planes *planes = context;
    uint8_t *luma = idci_plane_reducer_row(&planes->reducers[0], y);
    uint8_t *blue = idci_plane_reducer_row(&planes->reducers[1], y);
    uint8_t *red = idci_plane_reducer_row(&planes->reducers[2], y);
    const uint32_t width = planes->reducers[0].across.source;
    for (uint32_t x = 0; x < width; x++, row += CHANNELS) {
        luma[x] = idci_luma(row[0], row[1], row[2]);
        blue[x] = idci_cb(row[0], row[1], row[2], 0);
        red[x] = idci_cr(row[0], row[1], row[2], 0);
    }
    for (int i = 0; i < IDCI_PLANES; i++) idci_plane_reducer_advance(&planes->reducers[i], y + 1);
    return true;
}

bool idci_planes_are_complete(const idci_planes *planes) {
    for (int i = 0; i < IDCI_PLANES; i++) {
        if (!idci_plane_reducer_is_complete(&planes->reducers[i])) return false;
    }
    return true;
}

// MARK: - A smaller copy

static bool copy(const idci_plane *plane, double density, idci_planes *to, int index) {
    idci_component component = {plane->width, plane->height, density, density, 1, plane->width};
    if (!idci_planes_expect(to, index, &component)) return false;
    idci_plane_reducer *reducer = &to->reducers[index];
    for (uint32_t y = 0; y < plane->height; y++) {
        memcpy(idci_plane_reducer_row(reducer, y), plane->samples + (size_t)y * plane->stride, plane->width);
        idci_plane_reducer_advance(reducer, y + 1);
    }
    return true;
}

idci_planes *idci_planes_reduced(const idci_planes *planes, uint32_t width, uint32_t height) {
    idci_reduction reduction = {planes->width, planes->height, 8, width, height, 1};
    idci_planes *made = idci_planes_create(&reduction);
    for (int i = 0; made != NULL && i < IDCI_PLANES; i++) {
        if (copy(&planes->reducers[i].target, i == 0 ? 1 : 0.5, made, i)) continue;
        idci_planes_destroy(made);
        return NULL;
    }
    return made;
}

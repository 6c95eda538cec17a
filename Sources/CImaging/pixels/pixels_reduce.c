#include <stdlib.h>

#include "idci_image.h"
#include "../planes/plane_reducer.h"

enum {
    CHANNELS = 4,
    PLANES = 3,
};

struct idci_resampler {
    uint32_t source_width, source_height, next_source;
    idci_plane_reducer planes[PLANES];
    uint8_t *pixels;
};

static idci_axis axis_of(uint32_t source, uint32_t target) {
    return (idci_axis){source, target, (double)source / target, 0};
}

uint64_t idci_resampler_memory(
    uint32_t source_width, uint32_t source_height, uint32_t target_width, uint32_t target_height
) {
    idci_axis across = axis_of(source_width, target_width), down = axis_of(source_height, target_height);
    return PLANES * idci_plane_reducer_memory(&across, &down, 1);
}

idci_resampler *idci_resampler_create(
    uint32_t source_width, uint32_t source_height, uint32_t target_width, uint32_t target_height, int32_t orientation,
    uint8_t *pixels
) {
    if (target_width == 0 || target_height == 0 || pixels == NULL) return NULL;
    if (target_width > source_width || target_height > source_height) return NULL;
    idci_resampler *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->source_width = source_width;
    made->source_height = source_height;
    made->pixels = pixels;
    idci_axis across = axis_of(source_width, target_width), down = axis_of(source_height, target_height);
    for (int i = 0; i < PLANES; i++) {
        if (idci_plane_reducer_start(&made->planes[i], across, down, orientation, 1, source_width)) continue;
        idci_resampler_destroy(made);
        return NULL;
    }
    return made;
}

static void interleave(const idci_resampler *r) {
    const idci_plane *red = &r->planes[0].target, *green = &r->planes[1].target, *blue = &r->planes[2].target;
    uint8_t *out = r->pixels;
    for (uint32_t y = 0; y < red->height; y++) {
        size_t row = (size_t)y * red->stride;
        for (uint32_t x = 0; x < red->width; x++, out += CHANNELS) {
            out[0] = red->samples[row + x];
            out[1] = green->samples[row + x];
            out[2] = blue->samples[row + x];
            out[3] = 255;
        }
    }
}

bool idci_resampler_push(void *resampler, const uint8_t *row, uint32_t y) {
    idci_resampler *r = resampler;
    if (y != r->next_source || y >= r->source_height) return false;
    r->next_source += 1;
    uint8_t *red = idci_plane_reducer_row(&r->planes[0], y), *green = idci_plane_reducer_row(&r->planes[1], y);
    uint8_t *blue = idci_plane_reducer_row(&r->planes[2], y);
    for (uint32_t x = 0; x < r->source_width; x++, row += CHANNELS) {
        red[x] = row[0];
        green[x] = row[1];
        blue[x] = row[2];
    }
    for (int i = 0; i < PLANES; i++) idci_plane_reducer_advance(&r->planes[i], r->next_source);
    if (r->next_source == r->source_height) interleave(r);
    return true;
}

bool idci_resampler_is_complete(const idci_resampler *resampler) {
    return idci_plane_reducer_is_complete(&resampler->planes[PLANES - 1]);
}

void idci_resampler_destroy(idci_resampler *resampler) {
    if (resampler == NULL) return;
    for (int i = 0; i < PLANES; i++) idci_plane_reducer_clear(&resampler->planes[i]);
    free(resampler);
}

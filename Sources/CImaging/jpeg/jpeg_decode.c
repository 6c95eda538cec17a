#include <jerror.h>
#include <string.h>

#include "jpeg_parts.h"
#include "jpeg_segments.h"

typedef struct {
    const idci_limits *limits;
    const uint8_t *bytes;
    size_t count;
    idci_jpeg_layout layout;
    uint32_t scale;
    uint8_t *pixels;  // NULL: rows go to `row`.
    size_t stride;
    size_t pixels_count;
    idci_row_function row;
    void *row_context;
    idci_jpeg_header *header;  // Not NULL: only the header is wanted.
} decoding;

// MARK: - Header

static idci_jpeg_space space_of(j_decompress_ptr jpeg) {
    switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE:
        return IDCI_JPEG_SPACE_GREY;
    case JCS_YCbCr:
        return IDCI_JPEG_SPACE_YCC;
    case JCS_RGB:
        return IDCI_JPEG_SPACE_RGB;
    case JCS_CMYK:
        return IDCI_JPEG_SPACE_CMYK;
    case JCS_YCCK:
        return IDCI_JPEG_SPACE_YCCK;
    default:
        idci_jpeg_fail((j_common_ptr)jpeg, IDCI_UNSUPPORTED, "unknown colour space with %d components",
            jpeg->num_components);
    }
}

static void describe(j_decompress_ptr jpeg, const decoding *job) {
    idci_jpeg_header *header = job->header;
    idci_jpeg_segments segments;
    idci_jpeg_walk_segments(job->bytes, job->count, &segments);
    header->components = jpeg->num_components;
    header->space = space_of(jpeg);
    header->baseline = segments.start_of_frame == 0xC0;
    header->planar = idci_jpeg_is_planar(jpeg);
    header->requantizable = idci_jpeg_is_requantizable(jpeg);
    header->orientation = segments.orientation;
    header->has_metadata = segments.has_metadata;
    header->has_trailing_bytes = segments.has_trailing_bytes;
    header->icc_bytes = segments.icc_bytes;
    header->decode_memory = idci_jpeg_decode_memory(jpeg);
}

// MARK: - Pixels

static void choose_output(j_decompress_ptr jpeg, const decoding *job) {
    idci_jpeg_space space = space_of(jpeg);
    if (space == IDCI_JPEG_SPACE_CMYK || space == IDCI_JPEG_SPACE_YCCK) {
        jpeg->out_color_space = JCS_CMYK;
    } else {
        jpeg->out_color_space = job->layout == IDCI_JPEG_RGB ? JCS_RGB : JCS_EXT_RGBX;
    }
    jpeg->scale_num = job->scale;
    jpeg->scale_denom = 8;
    jpeg->do_block_smoothing = FALSE;
}

static void check_room(j_decompress_ptr jpeg, const decoding *job) {
    if (job->pixels == NULL) return;
    size_t row = (size_t)jpeg->output_width * (size_t)job->layout;
    if (job->stride < row || job->pixels_count / job->stride < jpeg->output_height) {
        idci_jpeg_fail((j_common_ptr)jpeg, IDCI_INTERNAL, "the pixel buffer is too small for %ux%u",
            jpeg->output_width, jpeg->output_height);
    }
}

static uint8_t multiply(unsigned a, unsigned b) {
    return (uint8_t)((a * b + 127) / 255);
}

// Converts a row of CMYK. `light` is true when the stored values are Adobe's: 255 means no ink.
static void convert_inks(const uint8_t *inks, uint32_t width, bool light, idci_jpeg_layout layout, uint8_t *out) {
    for (uint32_t x = 0; x < width; x++, inks += 4, out += layout) {
        unsigned black = light ? inks[3] : 255u - inks[3];
        for (int i = 0; i < 3; i++) out[i] = multiply(light ? inks[i] : 255u - inks[i], black);
        if (layout == IDCI_JPEG_RGBX) out[3] = 255;
    }
}

static void read_rows(j_decompress_ptr jpeg, const decoding *job) {
    j_common_ptr common = (j_common_ptr)jpeg;
    bool inks = jpeg->out_color_space == JCS_CMYK;
    size_t row_bytes = (size_t)jpeg->output_width * 4;
    // Owned by libjpeg's pool: freed with it however this ends.
    uint8_t *read = jpeg->mem->alloc_large(common, JPOOL_IMAGE, row_bytes);
    uint8_t *converted = inks ? jpeg->mem->alloc_large(common, JPOOL_IMAGE, row_bytes) : read;
    while (jpeg->output_scanline < jpeg->output_height) {
        uint32_t y = jpeg->output_scanline;
        uint8_t *target = job->pixels != NULL ? job->pixels + y * job->stride : converted;
        JSAMPROW rows[1] = {inks ? read : target};
        idci_jpeg_check_deadline(common);
        if (jpeg_read_scanlines(jpeg, rows, 1) != 1) {
            idci_jpeg_fail(common, IDCI_INTERNAL, "libjpeg waits for more data");
        }
        if (inks) convert_inks(read, jpeg->output_width, jpeg->saw_Adobe_marker, job->layout, target);
        if (job->row != NULL && !job->row(job->row_context, target, y)) {
            idci_jpeg_fail(common, IDCI_STOPPED, "stopped by the caller");
        }
    }
}

// MARK: - Entry

static void run(j_decompress_ptr jpeg, void *work) {
    const decoding *job = work;
    jpeg_read_header(jpeg, TRUE);
    if (job->header != NULL) {
        job->header->width = jpeg->image_width;
        job->header->height = jpeg->image_height;
    }
    idci_jpeg_check_limits(jpeg, job->limits);
    if (job->header != NULL) {
        describe(jpeg, job);
        return;
    }
    choose_output(jpeg, job);
    idci_jpeg_start_output(jpeg, job->limits);
    check_room(jpeg, job);
    read_rows(jpeg, job);
    idci_jpeg_finish_output(jpeg);
}

static idci_status perform(decoding *job, char *message, size_t message_capacity) {
    return idci_jpeg_with_decoder(job->bytes, job->count, job->limits, message, message_capacity, run, job);
}

idci_status idci_jpeg_read_header(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_jpeg_header *header, char *message,
    size_t message_capacity
) {
    decoding job = {.limits = limits, .bytes = bytes, .count = count, .header = header};
    if (header == NULL) return IDCI_INTERNAL;
    memset(header, 0, sizeof *header);
    return perform(&job, message, message_capacity);
}

static bool is_plausible(idci_jpeg_layout layout, uint32_t scale) {
    bool known = layout == IDCI_JPEG_RGB || layout == IDCI_JPEG_RGBX;
    return known && (scale == 1 || scale == 2 || scale == 4 || scale == 8);
}

idci_status idci_jpeg_decode(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_jpeg_layout layout, uint32_t scale,
    uint8_t *pixels, size_t stride, size_t pixels_count, char *message, size_t message_capacity
) {
    decoding job = {
        .limits = limits, .bytes = bytes, .count = count, .layout = layout, .scale = scale, .pixels = pixels,
        .stride = stride, .pixels_count = pixels_count,
    };
    if (pixels == NULL || stride == 0 || !is_plausible(layout, scale)) return IDCI_INTERNAL;
    return perform(&job, message, message_capacity);
}

idci_status idci_jpeg_decode_rows(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_jpeg_layout layout, uint32_t scale,
    idci_row_function row, void *context, char *message, size_t message_capacity
) {
    decoding job = {
        .limits = limits, .bytes = bytes, .count = count, .layout = layout, .scale = scale, .row = row,
        .row_context = context,
    };
    if (row == NULL || !is_plausible(layout, scale)) return IDCI_INTERNAL;
    return perform(&job, message, message_capacity);
}

uint32_t idci_jpeg_scaled_edge(uint32_t edge, uint32_t scale) {
    return (uint32_t)(((uint64_t)edge * scale + 7) / 8);
}

uint32_t idci_jpeg_scale_for(uint32_t width, uint32_t height, uint32_t at_least_width, uint32_t at_least_height) {
    // Tiny edges would round up to themselves at 1/8, but the block's average is not its pixel.
    if (at_least_width >= width && at_least_height >= height) return 8;
    for (uint32_t scale = 1; scale < 8; scale *= 2) {
        bool enough = idci_jpeg_scaled_edge(width, scale) >= at_least_width
            && idci_jpeg_scaled_edge(height, scale) >= at_least_height;
        if (enough) return scale;
    }
    return 8;
}

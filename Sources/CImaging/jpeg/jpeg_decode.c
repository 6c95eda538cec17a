#include <jerror.h>
#include <string.h>

#include "jpeg_parts.h"
#include "jpeg_segments.h"
#include "../pixels/pixels_inks.h"

// What libjpeg holds beside coefficients: a few rows per component, the colour and upsampling rows, its tables.
enum {
    ROW_BYTES_PER_SAMPLE = 48,
    FIXED_BYTES = 256 * 1024,
    COEFFICIENT_BLOCK_BYTES = 64 * sizeof(JCOEF),
};

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

// MARK: - Source: the caller's bytes, and an error (not padding) where they end.

static void source_ignore(j_decompress_ptr jpeg) {
    (void)jpeg;
}

static boolean source_fill(j_decompress_ptr jpeg) {
    idci_jpeg_fail((j_common_ptr)jpeg, IDCI_TRUNCATED, "the data ends before the end-of-image marker");
}

static void source_skip(j_decompress_ptr jpeg, long count) {
    if (count <= 0) return;
    if ((size_t)count > jpeg->src->bytes_in_buffer) source_fill(jpeg);
    jpeg->src->next_input_byte += count;
    jpeg->src->bytes_in_buffer -= (size_t)count;
}

void idci_jpeg_set_source(j_decompress_ptr jpeg, struct jpeg_source_mgr *source, const uint8_t *bytes, size_t count) {
    source->next_input_byte = bytes;
    source->bytes_in_buffer = count;
    source->init_source = source_ignore;
    source->fill_input_buffer = source_fill;
    source->skip_input_data = source_skip;
    source->resync_to_restart = jpeg_resync_to_restart;
    source->term_source = source_ignore;
    jpeg->src = source;
}

// MARK: - Limits

static uint64_t round_up(uint64_t value, uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

static uint64_t estimate_memory(j_decompress_ptr jpeg) {
    uint64_t total = FIXED_BYTES + (uint64_t)jpeg->image_width * (uint64_t)jpeg->num_components * ROW_BYTES_PER_SAMPLE;
    if (!jpeg_has_multiple_scans(jpeg)) return total;
    for (int i = 0; i < jpeg->num_components; i++) {
        const jpeg_component_info *component = &jpeg->comp_info[i];
        total += round_up(component->width_in_blocks, (uint64_t)component->h_samp_factor)
            * round_up(component->height_in_blocks, (uint64_t)component->v_samp_factor) * COEFFICIENT_BLOCK_BYTES;
    }
    return total;
}

void idci_jpeg_check_limits(j_decompress_ptr jpeg, const idci_limits *limits) {
    j_common_ptr common = (j_common_ptr)jpeg;
    uint32_t width = jpeg->image_width, height = jpeg->image_height;
    if (limits == NULL) return;
    if (limits->max_edge > 0 && (width > limits->max_edge || height > limits->max_edge)) {
        idci_jpeg_fail(common, IDCI_EDGE_TOO_LONG, "%ux%u pixels: the longest edge allowed is %u", width, height,
            limits->max_edge);
    }
    if (limits->max_pixels > 0 && (uint64_t)width * height > limits->max_pixels) {
        idci_jpeg_fail(common, IDCI_TOO_MANY_PIXELS, "%ux%u pixels: more than %llu in all", width, height,
            (unsigned long long)limits->max_pixels);
    }
    if (limits->max_memory_bytes > 0) {
        uint64_t needed = estimate_memory(jpeg);
        if (needed > limits->max_memory_bytes) {
            idci_jpeg_fail(common, IDCI_TOO_MUCH_MEMORY, "decoding needs %llu bytes, %llu are allowed",
                (unsigned long long)needed, (unsigned long long)limits->max_memory_bytes);
        }
        jpeg->mem->max_memory_to_use = (long)limits->max_memory_bytes;
    }
}

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
    header->multiple_scans = jpeg_has_multiple_scans(jpeg);
    header->baseline = segments.start_of_frame == 0xC0;
    for (int i = 0; i < 4; i++) {
        header->h_sampling[i] = i < jpeg->num_components ? jpeg->comp_info[i].h_samp_factor : 0;
        header->v_sampling[i] = i < jpeg->num_components ? jpeg->comp_info[i].v_samp_factor : 0;
    }
    header->orientation = segments.orientation;
    header->has_metadata = segments.has_metadata;
    header->has_trailing_bytes = segments.has_trailing_bytes;
    header->icc_bytes = segments.icc_bytes;
    header->decode_memory = estimate_memory(jpeg);
}

// MARK: - Scans

static void mark_components(j_decompress_ptr jpeg, bool *seen) {
    if (jpeg->Ss != 0) return;  // Only a scan with the DC terms makes a picture.
    for (int i = 0; i < jpeg->comps_in_scan; i++) seen[jpeg->cur_comp_info[i]->component_index] = true;
}

// Reads every scan into the coefficient buffers before any pixel is made, so that scans can be counted
// and a component that never comes is noticed.
static void read_all_scans(j_decompress_ptr jpeg, const idci_limits *limits) {
    j_common_ptr common = (j_common_ptr)jpeg;
    bool seen[MAX_COMPONENTS] = {false};
    uint32_t scans = 1;
    mark_components(jpeg, seen);
    for (;;) {
        int result = jpeg_consume_input(jpeg);
        idci_jpeg_check_deadline(common);
        if (result == JPEG_REACHED_EOI) break;
        if (result == JPEG_SUSPENDED) idci_jpeg_fail(common, IDCI_INTERNAL, "libjpeg waits for more data");
        if (result != JPEG_REACHED_SOS) continue;
        scans += 1;
        if (limits != NULL && limits->max_scans > 0 && scans > limits->max_scans) {
            idci_jpeg_fail(common, IDCI_TOO_MANY_SCANS, "more than %u scans", limits->max_scans);
        }
        mark_components(jpeg, seen);
    }
    for (int i = 0; i < jpeg->num_components; i++) {
        if (!seen[i]) idci_jpeg_fail(common, IDCI_CORRUPT, "component %d has no scan", i + 1);
    }
}

void idci_jpeg_start_output(j_decompress_ptr jpeg, const idci_limits *limits) {
    jpeg->buffered_image = jpeg_has_multiple_scans(jpeg);
    jpeg_start_decompress(jpeg);
    if (!jpeg->buffered_image) return;
    read_all_scans(jpeg, limits);
    jpeg_start_output(jpeg, jpeg->input_scan_number);
}

void idci_jpeg_finish_output(j_decompress_ptr jpeg) {
    if (jpeg->buffered_image) jpeg_finish_output(jpeg);
    jpeg_finish_decompress(jpeg);
}

// MARK: - Pixels

static void choose_output(j_decompress_ptr jpeg, const decoding *job) {
    idci_jpeg_space space = space_of(jpeg);
    if (space == IDCI_JPEG_SPACE_CMYK || space == IDCI_JPEG_SPACE_YCCK) {
        jpeg->out_color_space = JCS_CMYK;
    } else if (job->layout == IDCI_JPEG_GREY) {
        jpeg->out_color_space = JCS_GRAYSCALE;
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
        if (inks) idci_pixels_from_inks(read, jpeg->output_width, jpeg->saw_Adobe_marker, job->layout, target);
        if (job->row != NULL && !job->row(job->row_context, target, y)) {
            idci_jpeg_fail(common, IDCI_STOPPED, "stopped by the caller");
        }
    }
}

// MARK: - Entry

static void run(j_decompress_ptr jpeg, const decoding *job) {
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

static idci_status perform(const decoding *job, char *message, size_t message_capacity) {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_source_mgr source;
    idci_jpeg_context context;
    memset(&jpeg, 0, sizeof jpeg);
    uint32_t milliseconds = job->limits != NULL ? job->limits->max_milliseconds : 0;
    jpeg.err = idci_jpeg_context_prepare(&context, message, message_capacity, milliseconds);
    if (job->bytes == NULL || job->count == 0) {
        if (message != NULL && message_capacity > 0) snprintf(message, message_capacity, "no data");
        return IDCI_TRUNCATED;
    }
    if (setjmp(context.escape) == 0) {
        jpeg_create_decompress(&jpeg);
        idci_jpeg_set_source(&jpeg, &source, job->bytes, job->count);
        run(&jpeg, job);
    }
    jpeg_destroy_decompress(&jpeg);
    return context.status;
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
    bool known = layout == IDCI_JPEG_GREY || layout == IDCI_JPEG_RGB || layout == IDCI_JPEG_RGBX;
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

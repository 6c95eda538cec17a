#include <jerror.h>
#include <string.h>

#include "jpeg_parts.h"
#include "jpeg_segments.h"

typedef struct {
    const idci_limits *limits;
    const uint8_t *bytes;
    size_t count;
    idci_header *header;
} reading;

// MARK: - Header

// Whether every sampling factor divides the largest one: libjpeg and other decoders cannot upsample anything else.
static bool is_sampled_evenly(j_decompress_ptr jpeg) {
    for (int i = 0; i < jpeg->num_components; i++) {
        const jpeg_component_info *component = &jpeg->comp_info[i];
        if (jpeg->max_h_samp_factor % component->h_samp_factor != 0) return false;
        if (jpeg->max_v_samp_factor % component->v_samp_factor != 0) return false;
    }
    return true;
}

// Fills the header of the job.
static void describe(j_decompress_ptr jpeg, void *work) {
    const reading *job = work;
    idci_header *header = job->header;
    idci_jpeg_segments segments;
    idci_jpeg_read_frame(jpeg);
    header->width = jpeg->image_width;
    header->height = jpeg->image_height;
    header->decode_memory = idci_jpeg_decode_memory(jpeg);
    idci_jpeg_check_limits(jpeg, job->limits);
    idci_jpeg_walk_segments(job->bytes, job->count, &segments);
    header->components = jpeg->num_components;
    if (jpeg->jpeg_color_space == JCS_UNKNOWN) {
        idci_jpeg_fail((j_common_ptr)jpeg, IDCI_UNSUPPORTED, "unknown colour space with %d components",
            jpeg->num_components);
    }
    header->plain_colours = jpeg->jpeg_color_space == JCS_GRAYSCALE || jpeg->jpeg_color_space == JCS_YCbCr;
    header->baseline = segments.start_of_frame == 0xC0 && is_sampled_evenly(jpeg);
    header->requantizable = idci_jpeg_is_requantizable(jpeg);
    header->orientation = segments.orientation;
    header->has_metadata = segments.has_metadata;
    header->has_trailing_bytes = segments.has_trailing_bytes;
    header->icc_bytes = segments.icc_bytes;
}

idci_status idci_jpeg_read_header(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_header *header, char *message,
    size_t message_capacity
) {
    reading job = {limits, bytes, count, header};
    if (header == NULL) return IDCI_INTERNAL;
    memset(header, 0, sizeof *header);
    return idci_jpeg_with_decoder(bytes, count, limits, message, message_capacity, describe, &job);
}

// MARK: - Rows of pixels

static void choose_output(j_decompress_ptr jpeg, uint32_t scale) {
    bool is_cmyk = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = is_cmyk ? JCS_CMYK : JCS_EXT_RGBX;
    jpeg->scale_num = scale;
    jpeg->scale_denom = 8;
    jpeg->do_block_smoothing = FALSE;
}

static uint8_t multiply(unsigned a, unsigned b) {
    return (uint8_t)((a * b + 127) / 255);
}

// Converts a row of CMYK in place. `light` is true for the inverted values of Adobe: 255 means no ink.
static void convert_inks(uint8_t *row, uint32_t width, bool light) {
    for (uint32_t x = 0; x < width; x++, row += 4) {
        unsigned black = light ? row[3] : 255u - row[3];
        for (int i = 0; i < 3; i++) row[i] = multiply(light ? row[i] : 255u - row[i], black);
        row[3] = 255;
    }
}

void idci_jpeg_read_rows(
    j_decompress_ptr jpeg, const idci_limits *limits, uint32_t scale, idci_row_function row, void *context
) {
    j_common_ptr common = (j_common_ptr)jpeg;
    choose_output(jpeg, scale);
    idci_jpeg_start_output(jpeg, limits);
    // Owned by libjpeg's pool, which frees it in every case.
    JSAMPROW pixels = jpeg->mem->alloc_large(common, JPOOL_IMAGE, (size_t)jpeg->output_width * 4);
    while (jpeg->output_scanline < jpeg->output_height) {
        uint32_t y = jpeg->output_scanline;
        idci_jpeg_check_deadline(common);
        if (jpeg_read_scanlines(jpeg, &pixels, 1) != 1) {
            idci_jpeg_fail(common, IDCI_INTERNAL, "libjpeg waits for more data");
        }
        if (jpeg->out_color_space == JCS_CMYK) convert_inks(pixels, jpeg->output_width, jpeg->saw_Adobe_marker);
        if (!row(context, pixels, y)) idci_jpeg_fail(common, IDCI_INTERNAL, "the pixels have no room for row %u", y);
    }
    idci_jpeg_finish_output(jpeg);
}

// MARK: - A whole picture

typedef struct {
    const idci_limits *limits;
    uint32_t scale, width;
    uint8_t *pixels;
    size_t count;
} decoding;

static bool store_row(void *context, const uint8_t *row, uint32_t y) {
    const decoding *job = context;
    size_t start = (size_t)y * job->width * 3;
    if (job->pixels == NULL) return true;
    if (start + (size_t)job->width * 3 > job->count) return false;
    for (uint32_t x = 0; x < job->width; x++) memcpy(job->pixels + start + (size_t)x * 3, row + (size_t)x * 4, 3);
    return true;
}

static void decode(j_decompress_ptr jpeg, void *work) {
    decoding *job = work;
    idci_jpeg_read_frame(jpeg);
    idci_jpeg_check_limits(jpeg, job->limits);
    job->width = idci_jpeg_scaled_edge(jpeg->image_width, job->scale);
    idci_jpeg_read_rows(jpeg, job->limits, job->scale, store_row, job);
}

idci_status idci_jpeg_decode(
    const uint8_t *bytes, size_t count, const idci_limits *limits, uint32_t scale, uint8_t *pixels,
    size_t pixels_count, char *message, size_t message_capacity
) {
    decoding job = {.limits = limits, .scale = scale, .pixels = pixels, .count = pixels_count};
    return idci_jpeg_with_decoder(bytes, count, limits, message, message_capacity, decode, &job);
}

uint32_t idci_jpeg_scaled_edge(uint32_t edge, uint32_t scale) {
    return (uint32_t)(((uint64_t)edge * scale + 7) / 8);
}

uint32_t idci_jpeg_scale_for(uint32_t width, uint32_t height, uint32_t at_least_width, uint32_t at_least_height) {
    // The full size is never scaled: at 1/8 a tiny edge rounds up to its own length, but its pixels are averages of blocks.
    if (at_least_width >= width && at_least_height >= height) return 8;
    for (uint32_t scale = 1; scale < 8; scale *= 2) {
        bool enough = idci_jpeg_scaled_edge(width, scale) >= at_least_width
            && idci_jpeg_scaled_edge(height, scale) >= at_least_height;
        if (enough) return scale;
    }
    return 8;
}

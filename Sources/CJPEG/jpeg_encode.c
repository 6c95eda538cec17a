#include <jerror.h>
#include <stdlib.h>
#include <string.h>

#include "jpeg_parts.h"

enum {
    FIRST_BUFFER_BYTES = 256 * 1024,
    ROWS_PER_CALL = 16,
};

typedef struct {
    const uint8_t *pixels;
    uint32_t width;
    uint32_t height;
    size_t stride;
    int components;
    J_COLOR_SPACE input_space;
    J_COLOR_SPACE coded_space;
    bool adobe;
    idc_jpeg_encoding encoding;
} picture;

// MARK: - Destination: a buffer that grows up to a ceiling.

static void grow(j_compress_ptr jpeg, size_t used) {
    idc_jpeg_destination *target = (idc_jpeg_destination *)jpeg->dest;
    if (target->ceiling > 0 && target->capacity > target->ceiling) {
        idc_jpeg_fail((j_common_ptr)jpeg, IDC_JPEG_OVER_CEILING, "more than %zu bytes", target->ceiling);
    }
    size_t capacity = target->capacity == 0 ? FIRST_BUFFER_BYTES : target->capacity * 2;
    // One byte of room beyond the ceiling: libjpeg asks for more as soon as the last byte of the buffer is used.
    if (target->ceiling > 0 && capacity > target->ceiling) capacity = target->ceiling + 1;
    uint8_t *bytes = realloc(target->bytes, capacity);
    if (bytes == NULL) idc_jpeg_fail((j_common_ptr)jpeg, IDC_JPEG_OUT_OF_MEMORY, "no memory for the encoded bytes");
    target->bytes = bytes;
    target->capacity = capacity;
    target->manager.next_output_byte = bytes + used;
    target->manager.free_in_buffer = capacity - used;
}

static void destination_start(j_compress_ptr jpeg) {
    grow(jpeg, 0);
}

static boolean destination_full(j_compress_ptr jpeg) {
    grow(jpeg, ((idc_jpeg_destination *)jpeg->dest)->capacity);
    return TRUE;
}

static void destination_end(j_compress_ptr jpeg) {
    (void)jpeg;
}

void idc_jpeg_set_destination(j_compress_ptr jpeg, idc_jpeg_destination *destination, size_t ceiling) {
    memset(destination, 0, sizeof *destination);
    destination->ceiling = ceiling;
    destination->manager.init_destination = destination_start;
    destination->manager.empty_output_buffer = destination_full;
    destination->manager.term_destination = destination_end;
    jpeg->dest = &destination->manager;
}

idc_jpeg_status idc_jpeg_take(
    const idc_jpeg_context *context, idc_jpeg_destination *destination, uint8_t **out, size_t *out_count
) {
    if (context->status != IDC_JPEG_OK) {
        free(destination->bytes);
        return context->status;
    }
    *out_count = destination->capacity - destination->manager.free_in_buffer;
    // The rest of the buffer would wait with the picture, for as long as that is sent. Smaller, it stays where it is.
    uint8_t *fitting = realloc(destination->bytes, *out_count > 0 ? *out_count : 1);
    *out = fitting != NULL ? fitting : destination->bytes;
    return IDC_JPEG_OK;
}

// MARK: - Encoding

void idc_jpeg_set_encoding(j_compress_ptr jpeg, const idc_jpeg_encoding *encoding) {
    jpeg_set_quality(jpeg, encoding->quality, TRUE);
    jpeg->optimize_coding = FALSE;
    int factor = encoding->subsample_chroma ? 2 : 1;
    if (jpeg->jpeg_color_space == JCS_YCbCr) {
        jpeg->comp_info[0].h_samp_factor = factor;
        jpeg->comp_info[0].v_samp_factor = factor;
    }
    if (encoding->progressive) jpeg_simple_progression(jpeg);
}

void idc_jpeg_start_input(j_compress_ptr jpeg, const idc_jpeg_encoding *encoding) {
    jpeg_start_compress(jpeg, TRUE);
    idc_jpeg_write_profile(jpeg, encoding);
}

void idc_jpeg_write_profile(j_compress_ptr jpeg, const idc_jpeg_encoding *encoding) {
    if (encoding->icc == NULL || encoding->icc_count == 0) return;
    jpeg_write_icc_profile(jpeg, encoding->icc, (unsigned int)encoding->icc_count);
}

static void configure(j_compress_ptr jpeg, const picture *job) {
    jpeg->image_width = job->width;
    jpeg->image_height = job->height;
    jpeg->input_components = job->components;
    jpeg->in_color_space = job->input_space;
    jpeg_set_defaults(jpeg);
    jpeg_set_colorspace(jpeg, job->coded_space);
    idc_jpeg_set_encoding(jpeg, &job->encoding);
    if (job->input_space == JCS_CMYK) jpeg->write_Adobe_marker = job->adobe;
}

static void run(j_compress_ptr jpeg, const picture *job) {
    configure(jpeg, job);
    idc_jpeg_start_input(jpeg, &job->encoding);
    while (jpeg->next_scanline < jpeg->image_height) {
        JSAMPROW rows[ROWS_PER_CALL];
        uint32_t count = jpeg->image_height - jpeg->next_scanline;
        if (count > ROWS_PER_CALL) count = ROWS_PER_CALL;
        for (uint32_t i = 0; i < count; i++) {
            // libjpeg's types lack const; an encoder does not write to its input.
            rows[i] = (JSAMPROW)(uintptr_t)(job->pixels + (size_t)(jpeg->next_scanline + i) * job->stride);
        }
        jpeg_write_scanlines(jpeg, rows, count);
    }
    jpeg_finish_compress(jpeg);
}

static idc_jpeg_status perform(
    const picture *job, uint8_t **out, size_t *out_count, char *message, size_t message_capacity
) {
    struct jpeg_compress_struct jpeg;
    idc_jpeg_context context;
    idc_jpeg_destination target;
    memset(&jpeg, 0, sizeof jpeg);
    memset(&target, 0, sizeof target);
    jpeg.err = idc_jpeg_context_prepare(&context, message, message_capacity, 0);
    if (setjmp(context.escape) == 0) {
        jpeg_create_compress(&jpeg);
        idc_jpeg_set_destination(&jpeg, &target, job->encoding.byte_ceiling);
        run(&jpeg, job);
    }
    jpeg_destroy_compress(&jpeg);
    return idc_jpeg_take(&context, &target, out, out_count);
}

idc_jpeg_status idc_jpeg_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride, idc_jpeg_layout layout,
    const idc_jpeg_encoding *encoding, uint8_t **out, size_t *out_count, char *message, size_t message_capacity
) {
    if (pixels == NULL || encoding == NULL || out == NULL || out_count == NULL) return IDC_JPEG_INTERNAL;
    bool grey = layout == IDC_JPEG_GREY;
    picture job = {
        .pixels = pixels, .width = width, .height = height, .stride = stride, .components = (int)layout,
        .input_space = grey ? JCS_GRAYSCALE : layout == IDC_JPEG_RGB ? JCS_RGB : JCS_EXT_RGBX,
        .coded_space = grey ? JCS_GRAYSCALE : JCS_YCbCr, .encoding = *encoding,
    };
    return perform(&job, out, out_count, message, message_capacity);
}

idc_jpeg_status idc_jpeg_encode_cmyk(
    const uint8_t *inks, uint32_t width, uint32_t height, size_t stride, bool ycck, bool adobe, int32_t quality,
    uint8_t **out, size_t *out_count, char *message, size_t message_capacity
) {
    if (inks == NULL || out == NULL || out_count == NULL || width == 0 || height == 0) return IDC_JPEG_INTERNAL;
    size_t row = (size_t)width * 4;
    uint8_t *stored = malloc(row * height);
    if (stored == NULL) return IDC_JPEG_OUT_OF_MEMORY;
    for (uint32_t y = 0; y < height; y++) {
        for (size_t i = 0; i < row; i++) {
            uint8_t ink = inks[y * stride + i];
            stored[y * row + i] = adobe ? (uint8_t)(255 - ink) : ink;
        }
    }
    picture job = {
        .pixels = stored, .width = width, .height = height, .stride = row, .components = 4,
        .input_space = JCS_CMYK, .coded_space = ycck ? JCS_YCCK : JCS_CMYK, .adobe = adobe,
        .encoding = {.quality = quality},
    };
    idc_jpeg_status status = perform(&job, out, out_count, message, message_capacity);
    free(stored);
    return status;
}

void idc_jpeg_free(uint8_t *bytes) {
    free(bytes);
}

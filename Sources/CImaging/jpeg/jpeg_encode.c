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
    uint32_t width, height;
    size_t stride;
    idci_jpeg_layout layout;
    const idci_jpeg_encoding *encoding;
} picture;

// MARK: - Destination: a buffer that grows up to a ceiling.

static void grow(j_compress_ptr jpeg, size_t used) {
    idci_jpeg_destination *target = (idci_jpeg_destination *)jpeg->dest;
    if (target->ceiling > 0 && target->capacity > target->ceiling) {
        idci_jpeg_fail((j_common_ptr)jpeg, IDCI_OVER_CEILING, "more than %zu bytes", target->ceiling);
    }
    size_t capacity = target->capacity == 0 ? FIRST_BUFFER_BYTES : target->capacity * 2;
    // One byte of room beyond the ceiling: libjpeg asks for more as soon as the last byte of the buffer is used.
    if (target->ceiling > 0 && capacity > target->ceiling) capacity = target->ceiling + 1;
    uint8_t *bytes = realloc(target->bytes, capacity);
    if (bytes == NULL) idci_jpeg_fail((j_common_ptr)jpeg, IDCI_OUT_OF_MEMORY, "no memory for the encoded bytes");
    target->bytes = bytes;
    target->capacity = capacity;
    target->manager.next_output_byte = bytes + used;
    target->manager.free_in_buffer = capacity - used;
}

static void destination_start(j_compress_ptr jpeg) {
    grow(jpeg, 0);
}

static boolean destination_full(j_compress_ptr jpeg) {
    grow(jpeg, ((idci_jpeg_destination *)jpeg->dest)->capacity);
    return TRUE;
}

static void destination_end(j_compress_ptr jpeg) {
    (void)jpeg;
}

void idci_jpeg_set_destination(j_compress_ptr jpeg, idci_jpeg_destination *destination, size_t ceiling) {
    memset(destination, 0, sizeof *destination);
    destination->ceiling = ceiling;
    destination->manager.init_destination = destination_start;
    destination->manager.empty_output_buffer = destination_full;
    destination->manager.term_destination = destination_end;
    jpeg->dest = &destination->manager;
}

idci_status idci_jpeg_take(
    const idci_jpeg_context *context, idci_jpeg_destination *destination, uint8_t **out, size_t *out_count
) {
    if (context->status != IDCI_OK) {
        free(destination->bytes);
        return context->status;
    }
    *out_count = destination->capacity - destination->manager.free_in_buffer;
    // The rest of the buffer would wait with the picture, for as long as that is sent. Smaller, it stays where it is.
    uint8_t *fitting = realloc(destination->bytes, *out_count > 0 ? *out_count : 1);
    *out = fitting != NULL ? fitting : destination->bytes;
    return IDCI_OK;
}

// MARK: - Encoding

void idci_jpeg_set_encoding(j_compress_ptr jpeg, const idci_jpeg_encoding *encoding) {
    jpeg_set_quality(jpeg, encoding->quality, TRUE);
    jpeg->optimize_coding = FALSE;
    int factor = encoding->subsample_chroma ? 2 : 1;
    if (jpeg->jpeg_color_space == JCS_YCbCr) {
        jpeg->comp_info[0].h_samp_factor = factor;
        jpeg->comp_info[0].v_samp_factor = factor;
    }
    if (encoding->progressive) jpeg_simple_progression(jpeg);
}

void idci_jpeg_start_input(j_compress_ptr jpeg, const idci_jpeg_encoding *encoding) {
    jpeg_start_compress(jpeg, TRUE);
    idci_jpeg_write_profile(jpeg, encoding);
}

void idci_jpeg_write_profile(j_compress_ptr jpeg, const idci_jpeg_encoding *encoding) {
    if (encoding->icc == NULL || encoding->icc_count == 0) return;
    jpeg_write_icc_profile(jpeg, encoding->icc, (unsigned int)encoding->icc_count);
}

idci_status idci_jpeg_with_encoder(
    size_t ceiling, uint8_t **out, size_t *out_count, char *message, size_t message_capacity,
    void (*work)(j_compress_ptr, void *), void *job
) {
    struct jpeg_compress_struct jpeg;
    idci_jpeg_context context;
    idci_jpeg_destination target;
    memset(&jpeg, 0, sizeof jpeg);
    memset(&target, 0, sizeof target);
    jpeg.err = idci_jpeg_context_prepare(&context, message, message_capacity, 0);
    if (setjmp(context.escape) == 0) {
        jpeg_create_compress(&jpeg);
        idci_jpeg_set_destination(&jpeg, &target, ceiling);
        work(&jpeg, job);
    }
    jpeg_destroy_compress(&jpeg);
    return idci_jpeg_take(&context, &target, out, out_count);
}

static void run(j_compress_ptr jpeg, void *work) {
    const picture *job = work;
    bool grey = job->layout == IDCI_JPEG_GREY;
    jpeg->image_width = job->width;
    jpeg->image_height = job->height;
    jpeg->input_components = (int)job->layout;
    jpeg->in_color_space = grey ? JCS_GRAYSCALE : job->layout == IDCI_JPEG_RGB ? JCS_RGB : JCS_EXT_RGBX;
    jpeg_set_defaults(jpeg);
    jpeg_set_colorspace(jpeg, grey ? JCS_GRAYSCALE : JCS_YCbCr);
    idci_jpeg_set_encoding(jpeg, job->encoding);
    idci_jpeg_start_input(jpeg, job->encoding);
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

idci_status idci_jpeg_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride, idci_jpeg_layout layout,
    const idci_jpeg_encoding *encoding, uint8_t **out, size_t *out_count, char *message, size_t message_capacity
) {
    if (pixels == NULL || encoding == NULL || out == NULL || out_count == NULL) return IDCI_INTERNAL;
    picture job = {pixels, width, height, stride, layout, encoding};
    return idci_jpeg_with_encoder(encoding->byte_ceiling, out, out_count, message, message_capacity, run, &job);
}

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

#include "jpeg_parts.h"
#include "../planes/planes.h"

enum {
    FIRST_BUFFER_BYTES = 256 * 1024,
    MAX_ROWS = 2 * DCTSIZE,  // Rows of one component that libjpeg accepts at a time.
};

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

idci_status idci_jpeg_transfer(
    const idci_jpeg_context *context, idci_jpeg_destination *destination, uint8_t **out, size_t *out_count
) {
    if (context->status != IDCI_OK) {
        free(destination->bytes);
        return context->status;
    }
    *out_count = destination->capacity - destination->manager.free_in_buffer;
    // Release the unused part of the buffer: the bytes are held until they are sent.
    uint8_t *fitting = realloc(destination->bytes, *out_count > 0 ? *out_count : 1);
    *out = fitting != NULL ? fitting : destination->bytes;
    return IDCI_OK;
}

// MARK: - Encoding

void idci_jpeg_configure(j_compress_ptr jpeg, uint32_t width, uint32_t height, const idci_jpeg_encoding *encoding) {
    jpeg->image_width = width;
    jpeg->image_height = height;
    jpeg->input_components = 3;
    jpeg->in_color_space = JCS_YCbCr;
    jpeg_set_defaults(jpeg);  // Includes 4:2:0.
    jpeg_set_quality(jpeg, encoding->quality, TRUE);
}

void idci_jpeg_write_profile(j_compress_ptr jpeg, const idci_jpeg_encoding *encoding) {
    if (encoding->icc == NULL || encoding->icc_count == 0) return;
    jpeg_write_icc_profile(jpeg, encoding->icc, (unsigned int)encoding->icc_count);
}

static void write_strips(j_compress_ptr jpeg, const idci_planes *planes) {
    JSAMPROW rows[IDCI_PLANES][MAX_ROWS];
    JSAMPARRAY arrays[IDCI_PLANES] = {rows[0], rows[1], rows[2]};
    for (uint32_t strip = 0; jpeg->next_scanline < jpeg->image_height; strip++) {
        for (int i = 0; i < IDCI_PLANES; i++) {
            const idci_plane *plane = &planes->reducers[i].target;
            uint32_t count = (uint32_t)jpeg->comp_info[i].v_samp_factor * DCTSIZE;
            for (uint32_t j = 0; j < count; j++) {
                uint32_t y = strip * count + j;
                if (y >= plane->height) y = plane->height - 1;
                rows[i][j] = plane->samples + (size_t)y * plane->stride;
            }
        }
        jpeg_write_raw_data(jpeg, arrays, MAX_ROWS);
    }
}

static void encode(j_compress_ptr jpeg, const idci_planes *planes, const idci_jpeg_encoding *encoding) {
    idci_jpeg_configure(jpeg, planes->width, planes->height, encoding);
    jpeg->raw_data_in = TRUE;
    jpeg_start_compress(jpeg, TRUE);
    idci_jpeg_write_profile(jpeg, encoding);
    for (int i = 0; i < IDCI_PLANES; i++) {
        idci_plane_pad(&planes->reducers[i].target, jpeg->comp_info[i].width_in_blocks * DCTSIZE);
    }
    write_strips(jpeg, planes);
    jpeg_finish_compress(jpeg);
}

idci_status idci_jpeg_encode_planes(
    const idci_planes *planes, const idci_jpeg_encoding *encoding, uint8_t **out, size_t *out_count, char *message,
    size_t message_capacity
) {
    struct jpeg_compress_struct jpeg;
    idci_jpeg_context context;
    idci_jpeg_destination target;
    if (planes == NULL || encoding == NULL || out == NULL || out_count == NULL) return IDCI_INTERNAL;
    memset(&jpeg, 0, sizeof jpeg);
    memset(&target, 0, sizeof target);
    jpeg.err = idci_jpeg_context_prepare(&context, message, message_capacity, 0);
    if (setjmp(context.escape) == 0) {
        jpeg_create_compress(&jpeg);
        idci_jpeg_set_destination(&jpeg, &target, encoding->byte_ceiling);
        encode(&jpeg, planes, encoding);
    }
    jpeg_destroy_compress(&jpeg);
    return idci_jpeg_transfer(&context, &target, out, out_count);
}

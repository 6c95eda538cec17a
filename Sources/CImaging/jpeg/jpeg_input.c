// The shared parts of the JPEG decoders: the source of bytes, the limits, the scans, and the setjmp boundary around
// all.

#include <jerror.h>
#include <string.h>

#include "../call_limits.h"
#include "jpeg_parts.h"

// Memory of libjpeg beside coefficients: a few rows per component, the colour and upsampling rows, its tables.
enum {
    ROW_BYTES_PER_SAMPLE = 48,
    FIXED_BYTES = 256 * 1024,
    COEFFICIENT_BLOCK_BYTES = 64 * sizeof(JCOEF),
};

// MARK: - Source: the caller's bytes; reading past their end is an error (no padding).

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

// MARK: - Header

void idci_jpeg_read_frame(j_decompress_ptr jpeg) {
    jpeg_read_header(jpeg, TRUE);
    if (!jpeg->arith_code) return;
    idci_jpeg_fail((j_common_ptr)jpeg, IDCI_UNSUPPORTED, "arithmetic coding, which does not show whether it is whole");
}

// MARK: - Limits

static uint64_t round_up(uint64_t value, uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

uint64_t idci_jpeg_decode_memory(j_decompress_ptr jpeg) {
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
    const uint32_t width = jpeg->image_width, height = jpeg->image_height;
    idci_status status = idci_check_size(limits, width, height, idci_jpeg_decode_memory(jpeg));
    if (status != IDCI_OK) idci_jpeg_fail((j_common_ptr)jpeg, status, "%ux%u pixels", width, height);
    bool is_bounded = limits != NULL && limits->max_memory_bytes > 0;
    if (is_bounded) jpeg->mem->max_memory_to_use = (long)limits->max_memory_bytes;
}

// MARK: - Scans

static void mark_components(j_decompress_ptr jpeg, bool *seen) {
    if (jpeg->Ss != 0) return;  // Without the DC terms a scan gives no usable picture.
    for (int i = 0; i < jpeg->comps_in_scan; i++) seen[jpeg->cur_comp_info[i]->component_index] = true;
}

// Reads every scan into the coefficient buffers before the first pixel, so that scans are counted and a missing
// component is detected.
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

// MARK: - The boundary

idci_status idci_jpeg_with_decoder(
    const uint8_t *bytes, size_t count, const idci_limits *limits, char *message, size_t message_capacity,
    void (*work)(j_decompress_ptr, void *), void *job
) {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_source_mgr source;
    idci_jpeg_context context;
    memset(&jpeg, 0, sizeof jpeg);
    uint32_t milliseconds = limits != NULL ? limits->max_milliseconds : 0;
    jpeg.err = idci_jpeg_context_prepare(&context, message, message_capacity, milliseconds);
    if (bytes == NULL || count == 0) {
        idci_write_message(message, message_capacity, "no data");
        return IDCI_TRUNCATED;
    }
    if (setjmp(context.escape) == 0) {
        jpeg_create_decompress(&jpeg);
        idci_jpeg_set_source(&jpeg, &source, bytes, count);
        work(&jpeg, job);
    }
    jpeg_destroy_decompress(&jpeg);
    return context.status;
}

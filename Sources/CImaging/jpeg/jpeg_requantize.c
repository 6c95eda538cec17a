// Recompressing a picture at its own size needs no pixels: its DCT coefficients are requantised from the old table to
// the new one. This saves both transforms and the rounding to pixels between them. A rotation only moves blocks,
// exchanges their rows and columns and changes signs (as jpegtran does), so it needs no pixels either.
//
// libjpeg reads and writes coefficients through arrays that its memory manager allocates for the whole picture. This
// file replaces the access functions of that manager: the decoder fills the rows of one strip, and the encoder's
// request for the next strip makes the decoder read it. Only a rotation that needs the last rows first holds all rows.

#include <string.h>

#include "jpeg_block.h"
#include "jpeg_parts.h"

enum {
    COMPONENTS = 3,
    MAX_BLOCK_ROWS = 2,  // Of one component in a strip.
};

// The blocks of one component: filled by the decoder, transformed for the encoder.
typedef struct {
    JBLOCK *source;             // `held_rows` rows of `across` blocks each.
    uint32_t across, down;      // In blocks, as stored.
    uint32_t held_rows;
    block_factors factors;
    JBLOCKROW rows[MAX_BLOCK_ROWS];
    JBLOCKROW target_rows[MAX_BLOCK_ROWS];
} component_blocks;

typedef struct {
    struct jpeg_decompress_struct input;
    struct jpeg_compress_struct output;
    struct jpeg_source_mgr source;
    idci_jpeg_context context;
    idci_jpeg_destination target;
    bool swaps, mirrored_across, mirrored_down;  // How stored blocks lie in the upright picture.
    bool holds_all;
    uint32_t strips_read;
    uint32_t arrays_requested;
    component_blocks components[COMPONENTS];
    jvirt_barray_ptr arrays[COMPONENTS];  // The encoder's view of `components`; it uses this list in place.
} requantizing;

static requantizing *job_of(j_common_ptr jpeg) {
    return jpeg->client_data;
}

static component_blocks *blocks_of(jvirt_barray_ptr array) {
    return (component_blocks *)(void *)array;
}

// MARK: - Memory manager of the decoder

static jvirt_barray_ptr request_array(
    j_common_ptr jpeg, int pool, boolean zeroed, JDIMENSION across, JDIMENSION down, JDIMENSION rows
) {
    (void)pool, (void)zeroed;
    requantizing *job = job_of(jpeg);
    if (job->arrays_requested >= COMPONENTS || rows > MAX_BLOCK_ROWS) {
        idci_jpeg_fail(jpeg, IDCI_INTERNAL, "unexpected coefficient array");
    }
    component_blocks *blocks = &job->components[job->arrays_requested++];
    blocks->across = across;
    blocks->down = down;
    blocks->held_rows = job->holds_all ? down : rows;
    size_t count = (size_t)across * blocks->held_rows;
    blocks->source = jpeg->mem->alloc_large(jpeg, JPOOL_IMAGE, count * sizeof(JBLOCK));
    return (jvirt_barray_ptr)(void *)blocks;
}

static JBLOCKARRAY access_source(
    j_common_ptr jpeg, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count, boolean writable
) {
    component_blocks *blocks = blocks_of(array);
    if (count > MAX_BLOCK_ROWS || first + count > blocks->down) {
        idci_jpeg_fail(jpeg, IDCI_INTERNAL, "coefficients beyond the picture");
    }
    for (uint32_t i = 0; i < count; i++) {
        blocks->rows[i] = blocks->source + (size_t)((first + i) % blocks->held_rows) * blocks->across;
        // Cleared, because the entropy decoder writes only nonzero coefficients.
        if (writable) memset(blocks->rows[i], 0, blocks->across * sizeof(JBLOCK));
    }
    return blocks->rows;
}

// Reads until `wanted` strips were read.
static void read_strips(requantizing *job, uint32_t wanted) {
    j_common_ptr common = (j_common_ptr)&job->input;
    while (job->strips_read < wanted) {
        idci_jpeg_check_deadline(common);
        switch (jpeg_consume_input(&job->input)) {
        case JPEG_ROW_COMPLETED:
        case JPEG_SCAN_COMPLETED:
            job->strips_read += 1;
            break;
        case JPEG_REACHED_SOS:
            break;
        default:
            idci_jpeg_fail(common, IDCI_CORRUPT, "fewer rows than the picture has");
        }
    }
}

// Makes a row of the upright picture from a row or a column of the stored one.
static void make_row(const requantizing *job, component_blocks *blocks, uint32_t y, JBLOCK *target) {
    bool backwards = job->swaps ? job->mirrored_down : job->mirrored_across;
    bool upwards = job->swaps ? job->mirrored_across : job->mirrored_down;
    uint32_t count = job->swaps ? blocks->down : blocks->across;
    uint32_t lines = job->swaps ? blocks->across : blocks->down;
    uint32_t line = upwards ? lines - 1 - y : y;
    ptrdiff_t step = job->swaps ? (ptrdiff_t)blocks->across : 1;
    const JBLOCK *block = blocks->source + (job->swaps ? line : (size_t)(line % blocks->held_rows) * blocks->across);
    if (backwards) {
        block += (ptrdiff_t)(count - 1) * step;
        step = -step;
    }
    for (uint32_t x = 0; x < count; x++, block += step) {
        requantize(*block, &blocks->factors, target[x]);
        if (job->swaps) transpose(target[x]);
    }
}

// MARK: - Memory manager of the encoder

static JBLOCKARRAY access_target(
    j_common_ptr jpeg, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count, boolean writable
) {
    requantizing *job = job_of(jpeg);
    component_blocks *blocks = blocks_of(array);
    uint32_t down = job->swaps ? blocks->across : blocks->down;
    if (writable || count == 0 || count > MAX_BLOCK_ROWS || first + count > down) {
        idci_jpeg_fail(jpeg, IDCI_INTERNAL, "coefficients beyond the picture");
    }
    read_strips(job, job->holds_all ? job->input.total_iMCU_rows : first / count + 1);
    for (uint32_t i = 0; i < count; i++) make_row(job, blocks, first + i, blocks->target_rows[i]);
    return blocks->target_rows;
}

// MARK: - Setting up

static void set_orientation(requantizing *job, int32_t orientation) {
    // Exif 2.32, tag 0x0112; the direction in which the stored picture is read.
    job->swaps = orientation >= 5;
    job->mirrored_across = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    job->mirrored_down = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    job->holds_all = job->swaps || job->mirrored_down;
}

static void start_reading(requantizing *job, const idci_limits *limits) {
    j_decompress_ptr input = &job->input;
    idci_jpeg_read_frame(input);
    idci_jpeg_check_limits(input, limits);
    if (!idci_jpeg_is_requantizable(input)) {
        idci_jpeg_fail((j_common_ptr)input, IDCI_INTERNAL, "not 4:2:0, or not whole blocks in one scan");
    }
    input->mem->request_virt_barray = request_array;
    input->mem->access_virt_barray = access_source;
    input->raw_data_out = TRUE;
    input->out_color_space = JCS_YCbCr;
    input->do_fancy_upsampling = FALSE;
    // Needed to read rows of coefficients one by one; no pixels are decoded.
    input->buffered_image = TRUE;
    jpeg_start_decompress(input);
}

static void set_component_factors(requantizing *job, int index) {
    const JQUANT_TBL *from = job->input.comp_info[index].quant_table;
    const JQUANT_TBL *to = job->output.quant_tbl_ptrs[job->output.comp_info[index].quant_tbl_no];
    if (from == NULL || to == NULL) {
        idci_jpeg_fail((j_common_ptr)&job->input, IDCI_INTERNAL, "no quantisation table");
    }
    float exact[DCTSIZE][DCTSIZE];
    for (int v = 0; v < DCTSIZE; v++) {
        for (int u = 0; u < DCTSIZE; u++) {
            int stored = v * DCTSIZE + u, upright = job->swaps ? u * DCTSIZE + v : stored;
            // Mirroring changes the sign of the odd frequencies.
            bool negative = (job->mirrored_across && u % 2 == 1) != (job->mirrored_down && v % 2 == 1);
            float factor = (float)from->quantval[stored] / (float)to->quantval[upright];
            exact[v][u] = negative ? -factor : factor;
        }
    }
    set_factors(&job->components[index].factors, exact);
}

static void start_writing(requantizing *job, const idci_jpeg_encoding *encoding) {
    j_compress_ptr output = &job->output;
    j_common_ptr common = (j_common_ptr)output;
    uint32_t width = job->input.image_width, height = job->input.image_height;
    idci_jpeg_configure(output, job->swaps ? height : width, job->swaps ? width : height, encoding);
    for (int i = 0; i < COMPONENTS; i++) {
        component_blocks *blocks = &job->components[i];
        uint32_t rows = (uint32_t)output->comp_info[i].v_samp_factor;
        size_t bytes = (size_t)(job->swaps ? blocks->down : blocks->across) * sizeof(JBLOCK);
        for (uint32_t j = 0; j < rows; j++) {
            blocks->target_rows[j] = output->mem->alloc_large(common, JPOOL_IMAGE, bytes);
        }
        set_component_factors(job, i);
        job->arrays[i] = (jvirt_barray_ptr)(void *)blocks;
    }
    output->mem->access_virt_barray = access_target;
    jpeg_write_coefficients(output, job->arrays);
    idci_jpeg_write_profile(output, encoding);
}

idci_status idci_jpeg_requantize(
    const uint8_t *bytes, size_t count, const idci_limits *limits, int32_t orientation,
    const idci_jpeg_encoding *encoding, uint8_t **out, size_t *out_count, char *message, size_t message_capacity
) {
    if (bytes == NULL || count == 0 || encoding == NULL || out == NULL || out_count == NULL) return IDCI_INTERNAL;
    requantizing job;
    memset(&job, 0, sizeof job);
    set_orientation(&job, orientation);
    uint32_t milliseconds = limits != NULL ? limits->max_milliseconds : 0;
    job.input.err = idci_jpeg_context_prepare(&job.context, message, message_capacity, milliseconds);
    job.output.err = job.input.err;
    if (setjmp(job.context.escape) == 0) {
        jpeg_create_decompress(&job.input);
        jpeg_create_compress(&job.output);
        job.input.client_data = &job;
        job.output.client_data = &job;
        idci_jpeg_set_source(&job.input, &job.source, bytes, count);
        idci_jpeg_set_destination(&job.output, &job.target, encoding->byte_ceiling);
        start_reading(&job, limits);
        start_writing(&job, encoding);
        jpeg_finish_compress(&job.output);
        jpeg_finish_decompress(&job.input);
    }
    jpeg_destroy_compress(&job.output);
    jpeg_destroy_decompress(&job.input);
    return idci_jpeg_transfer(&job.context, &job.target, out, out_count);
}

static bool is_420(j_decompress_ptr jpeg) {
    bool fits = jpeg->num_components == COMPONENTS && jpeg->jpeg_color_space == JCS_YCbCr;
    for (int i = 0; fits && i < COMPONENTS; i++) {
        const jpeg_component_info *component = &jpeg->comp_info[i];
        int factor = i == 0 ? 2 : 1;
        fits = component->h_samp_factor == factor && component->v_samp_factor == factor;
    }
    return fits;
}

bool idci_jpeg_is_requantizable(j_decompress_ptr jpeg) {
    bool whole = jpeg->image_width % (2 * DCTSIZE) == 0 && jpeg->image_height % (2 * DCTSIZE) == 0;
    return whole && !jpeg_has_multiple_scans(jpeg) && is_420(jpeg);
}

#include <stdlib.h>
#include <string.h>

#include "jpeg_parts.h"
#include "../planes/plane_reducer.h"

#if JPEG_LIB_VERSION >= 70
#define SCALED_SIZE(component) ((component)->DCT_h_scaled_size)
#define SMALLEST_SCALED_SIZE(jpeg) ((jpeg)->min_DCT_h_scaled_size)
#else
#define SCALED_SIZE(component) ((component)->DCT_scaled_size)
#define SMALLEST_SCALED_SIZE(jpeg) ((jpeg)->min_DCT_scaled_size)
#endif

enum {
    COMPONENTS = 3,
    MOST_ROWS = 2 * DCTSIZE,  // Of one component in what libjpeg reads or writes at a time.
};

struct idci_jpeg_planes {
    uint32_t width, height;  // Upright.
    idci_plane_reducer reducers[COMPONENTS];
};

idci_jpeg_planes *idci_jpeg_planes_create(void) {
    return calloc(1, sizeof(idci_jpeg_planes));
}

void idci_jpeg_planes_destroy(idci_jpeg_planes *planes) {
    if (planes == NULL) return;
    for (int i = 0; i < COMPONENTS; i++) idci_plane_reducer_clear(&planes->reducers[i]);
    free(planes);
}

// MARK: - Decoding

bool idci_jpeg_is_planar(j_decompress_ptr jpeg) {
    bool fits = jpeg->num_components == COMPONENTS && jpeg->jpeg_color_space == JCS_YCbCr;
    for (int i = 0; fits && i < COMPONENTS; i++) {
        const jpeg_component_info *component = &jpeg->comp_info[i];
        int factor = i == 0 ? 2 : 1;
        fits = component->h_samp_factor == factor && component->v_samp_factor == factor;
    }
    return fits;
}

static void start_decoding(j_decompress_ptr jpeg, const idci_limits *limits, uint32_t scale) {
    jpeg_read_header(jpeg, TRUE);
    idci_jpeg_check_limits(jpeg, limits);
    if (!idci_jpeg_is_planar(jpeg)) idci_jpeg_fail((j_common_ptr)jpeg, IDCI_INTERNAL, "not a 4:2:0 picture");
    jpeg->scale_num = scale;
    jpeg->scale_denom = DCTSIZE;
    jpeg->raw_data_out = TRUE;
    jpeg->out_color_space = JCS_YCbCr;
    jpeg->do_fancy_upsampling = FALSE;
    jpeg->do_block_smoothing = FALSE;
    idci_jpeg_start_output(jpeg, limits);
}

// How many rows of the component libjpeg hands over at a time.
static uint32_t rows_at_a_time(const jpeg_component_info *component) {
    return (uint32_t)(component->v_samp_factor * SCALED_SIZE(component));
}

static size_t row_bytes(const jpeg_component_info *component) {
    return (size_t)component->width_in_blocks * (size_t)SCALED_SIZE(component);
}

// JPEG's chroma samples lie amid the luma samples they stand for, so both planes cover the same picture; where an edge
// is odd the last chroma sample hangs over, and over the other end once the picture is mirrored.
static idci_axis axis_of(
    uint32_t edge, uint32_t samples, int factor, int most, int scaled_size, uint32_t target, bool is_chroma,
    bool mirrored
) {
    double scale = (double)factor / most * scaled_size / DCTSIZE;
    double sample = is_chroma ? 2 : 1;
    idci_axis axis = {.source = samples, .target = is_chroma ? (target + 1) / 2 : target};
    axis.ratio = edge * scale / target * sample;
    if (is_chroma && mirrored && target % 2 == 1) axis.offset = -axis.ratio / 2;
    return axis;
}

static void start_reducer(j_decompress_ptr jpeg, int index, const idci_jpeg_plan *plan, idci_jpeg_planes *planes) {
    const jpeg_component_info *component = &jpeg->comp_info[index];
    int32_t turn = plan->orientation;
    bool mirrored_across = turn == 2 || turn == 3 || turn == 7 || turn == 8;
    bool mirrored_down = turn == 3 || turn == 4 || turn == 6 || turn == 7;
    int size = SCALED_SIZE(component);
    idci_axis across = axis_of(jpeg->image_width, component->downsampled_width, component->h_samp_factor,
        jpeg->max_h_samp_factor, size, plan->target_width, index > 0, mirrored_across);
    idci_axis down = axis_of(jpeg->image_height, component->downsampled_height, component->v_samp_factor,
        jpeg->max_v_samp_factor, size, plan->target_height, index > 0, mirrored_down);
    bool ready = idci_plane_reducer_start(
        &planes->reducers[index], across, down, turn, rows_at_a_time(component), row_bytes(component));
    if (!ready) idci_jpeg_fail((j_common_ptr)jpeg, IDCI_OUT_OF_MEMORY, "no memory for the planes");
}

static void read_strips(j_decompress_ptr jpeg, idci_jpeg_planes *planes) {
    JSAMPROW rows[COMPONENTS][MOST_ROWS];
    JSAMPARRAY arrays[COMPONENTS] = {rows[0], rows[1], rows[2]};
    JDIMENSION lines = (JDIMENSION)(jpeg->max_v_samp_factor * SMALLEST_SCALED_SIZE(jpeg));
    uint32_t strip = 0;
    while (jpeg->output_scanline < jpeg->output_height) {
        for (int i = 0; i < COMPONENTS; i++) {
            uint32_t count = rows_at_a_time(&jpeg->comp_info[i]);
            for (uint32_t j = 0; j < count; j++) {
                rows[i][j] = idci_plane_reducer_row(&planes->reducers[i], strip * count + j);
            }
        }
        idci_jpeg_check_deadline((j_common_ptr)jpeg);
        if (jpeg_read_raw_data(jpeg, arrays, lines) != lines) {
            idci_jpeg_fail((j_common_ptr)jpeg, IDCI_INTERNAL, "libjpeg waits for more data");
        }
        strip += 1;
        for (int i = 0; i < COMPONENTS; i++) {
            idci_plane_reducer_advance(&planes->reducers[i], strip * rows_at_a_time(&jpeg->comp_info[i]));
        }
    }
}

typedef struct {
    const idci_limits *limits;
    const idci_jpeg_plan *plan;
    idci_jpeg_planes *planes;
} decoding;

static void decode(j_decompress_ptr jpeg, void *work) {
    const decoding *job = work;
    const idci_jpeg_plan *plan = job->plan;
    idci_jpeg_planes *planes = job->planes;
    start_decoding(jpeg, job->limits, plan->scale);
    bool turned = plan->orientation >= 5;
    planes->width = turned ? plan->target_height : plan->target_width;
    planes->height = turned ? plan->target_width : plan->target_height;
    for (int i = 0; i < COMPONENTS; i++) start_reducer(jpeg, i, plan, planes);
    read_strips(jpeg, planes);
    for (int i = 0; i < COMPONENTS; i++) {
        bool complete = idci_plane_reducer_is_complete(&planes->reducers[i]);
        if (!complete) idci_jpeg_fail((j_common_ptr)jpeg, IDCI_INTERNAL, "fewer rows than the picture has");
    }
    idci_jpeg_finish_output(jpeg);
}

idci_status idci_jpeg_decode_planes(
    const uint8_t *bytes, size_t count, const idci_limits *limits, const idci_jpeg_plan *plan,
    idci_jpeg_planes *planes, char *message, size_t message_capacity
) {
    if (plan == NULL || planes == NULL || plan->target_width == 0 || plan->target_height == 0) return IDCI_INTERNAL;
    decoding job = {limits, plan, planes};
    return idci_jpeg_with_decoder(bytes, count, limits, message, message_capacity, decode, &job);
}

// MARK: - Encoding

void idci_jpeg_configure_420(
    j_compress_ptr jpeg, uint32_t width, uint32_t height, const idci_jpeg_encoding *encoding
) {
    jpeg->image_width = width;
    jpeg->image_height = height;
    jpeg->input_components = COMPONENTS;
    jpeg->in_color_space = JCS_YCbCr;
    jpeg_set_defaults(jpeg);
    idci_jpeg_encoding subsampled = *encoding;
    subsampled.subsample_chroma = true;
    idci_jpeg_set_encoding(jpeg, &subsampled);
}

static void write_strips(j_compress_ptr jpeg, const idci_jpeg_planes *planes) {
    JSAMPROW rows[COMPONENTS][MOST_ROWS];
    JSAMPARRAY arrays[COMPONENTS] = {rows[0], rows[1], rows[2]};
    for (uint32_t strip = 0; jpeg->next_scanline < jpeg->image_height; strip++) {
        for (int i = 0; i < COMPONENTS; i++) {
            const idci_plane *plane = &planes->reducers[i].target;
            uint32_t count = (uint32_t)jpeg->comp_info[i].v_samp_factor * DCTSIZE;
            for (uint32_t j = 0; j < count; j++) {
                uint32_t y = strip * count + j;
                if (y >= plane->height) y = plane->height - 1;
                rows[i][j] = plane->samples + (size_t)y * plane->stride;
            }
        }
        jpeg_write_raw_data(jpeg, arrays, 2 * DCTSIZE);
    }
    jpeg_finish_compress(jpeg);
}

typedef struct {
    const idci_jpeg_planes *planes;
    const idci_jpeg_encoding *encoding;
} encoding_job;

static void encode(j_compress_ptr jpeg, void *work) {
    const encoding_job *job = work;
    idci_jpeg_configure_420(jpeg, job->planes->width, job->planes->height, job->encoding);
    jpeg->raw_data_in = TRUE;
    idci_jpeg_start_input(jpeg, job->encoding);
    for (int i = 0; i < COMPONENTS; i++) {
        idci_plane_pad(&job->planes->reducers[i].target, jpeg->comp_info[i].width_in_blocks * DCTSIZE);
    }
    write_strips(jpeg, job->planes);
}

idci_status idci_jpeg_encode_planes(
    const idci_jpeg_planes *planes, const idci_jpeg_encoding *encoding, uint8_t **out, size_t *out_count, char *message,
    size_t message_capacity
) {
    if (planes == NULL || encoding == NULL || out == NULL || out_count == NULL) return IDCI_INTERNAL;
    encoding_job job = {planes, encoding};
    return idci_jpeg_with_encoder(
        encoding->byte_ceiling, out, out_count, message, message_capacity, encode, &job);
}

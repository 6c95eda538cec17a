#include "jpeg_parts.h"
#include "../planes/planes.h"

#if JPEG_LIB_VERSION >= 70
#define SCALED_SIZE(component) ((component)->DCT_h_scaled_size)
#define SMALLEST_SCALED_SIZE(jpeg) ((jpeg)->min_DCT_h_scaled_size)
#else
#define SCALED_SIZE(component) ((component)->DCT_scaled_size)
#define SMALLEST_SCALED_SIZE(jpeg) ((jpeg)->min_DCT_scaled_size)
#endif

enum { MAX_ROWS = 4 * DCTSIZE };  // Rows of one component that libjpeg outputs at a time.

// Returns the number of rows of the component that libjpeg outputs at a time.
static uint32_t rows_at_a_time(const jpeg_component_info *component) {
    return (uint32_t)(component->v_samp_factor * SCALED_SIZE(component));
}

static size_t row_bytes(const jpeg_component_info *component) {
    return (size_t)component->width_in_blocks * (size_t)SCALED_SIZE(component);
}

static void start_reducer(j_decompress_ptr jpeg, int index, idci_planes *planes) {
    const jpeg_component_info *component = &jpeg->comp_info[index];
    double scale = (double)SCALED_SIZE(component) / DCTSIZE;
    idci_component samples = {
        .width = component->downsampled_width,
        .height = component->downsampled_height,
        .across = scale * component->h_samp_factor / jpeg->max_h_samp_factor,
        .down = scale * component->v_samp_factor / jpeg->max_v_samp_factor,
        .strip = rows_at_a_time(component),
        .row_bytes = row_bytes(component),
    };
    bool is_grey = jpeg->num_components == 1;
    if (!idci_planes_expect(planes, index, &samples) || (is_grey && !idci_planes_expect_grey(planes))) {
        idci_jpeg_fail((j_common_ptr)jpeg, IDCI_OUT_OF_MEMORY, "no memory for the planes");
    }
}

static void read_strips(j_decompress_ptr jpeg, idci_planes *planes) {
    JSAMPROW rows[IDCI_PLANES][MAX_ROWS];
    JSAMPARRAY arrays[IDCI_PLANES] = {rows[0], rows[1], rows[2]};
    JDIMENSION lines = (JDIMENSION)(jpeg->max_v_samp_factor * SMALLEST_SCALED_SIZE(jpeg));
    uint32_t strip = 0;
    while (jpeg->output_scanline < jpeg->output_height) {
        for (int i = 0; i < jpeg->num_components; i++) {
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
        for (int i = 0; i < jpeg->num_components; i++) {
            idci_plane_reducer_advance(&planes->reducers[i], strip * rows_at_a_time(&jpeg->comp_info[i]));
        }
    }
}

// Decodes a picture of any sampling: each component is reduced from its own samples.
static void decode_components(j_decompress_ptr jpeg, const idci_limits *limits, idci_planes *planes) {
    jpeg->scale_num = planes->reduction.scale;
    jpeg->scale_denom = DCTSIZE;
    jpeg->raw_data_out = TRUE;
    jpeg->out_color_space = jpeg->jpeg_color_space;
    jpeg->do_fancy_upsampling = FALSE;
    jpeg->do_block_smoothing = FALSE;
    idci_jpeg_start_output(jpeg, limits);
    for (int i = 0; i < jpeg->num_components; i++) start_reducer(jpeg, i, planes);
    read_strips(jpeg, planes);
    idci_jpeg_finish_output(jpeg);
}

typedef struct {
    const idci_limits *limits;
    idci_planes *planes;
} decoding;

static void decode(j_decompress_ptr jpeg, void *work) {
    const decoding *job = work;
    idci_jpeg_read_frame(jpeg);
    idci_jpeg_check_limits(jpeg, job->limits);
    if (jpeg->jpeg_color_space == JCS_YCbCr || jpeg->jpeg_color_space == JCS_GRAYSCALE) {
        decode_components(jpeg, job->limits, job->planes);
    } else if (idci_planes_expect_rows(job->planes)) {
        idci_jpeg_read_rows(jpeg, job->limits, job->planes->reduction.scale, idci_planes_push, job->planes);
    } else {
        idci_jpeg_fail((j_common_ptr)jpeg, IDCI_OUT_OF_MEMORY, "no memory for the planes");
    }
    if (!idci_planes_are_complete(job->planes)) {
        idci_jpeg_fail((j_common_ptr)jpeg, IDCI_INTERNAL, "fewer rows than the picture has");
    }
}

idci_status idci_jpeg_decode_planes(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_planes *planes, char *message,
    size_t message_capacity
) {
    decoding job = {limits, planes};
    if (planes == NULL) return IDCI_INTERNAL;
    return idci_jpeg_with_decoder(bytes, count, limits, message, message_capacity, decode, &job);
}

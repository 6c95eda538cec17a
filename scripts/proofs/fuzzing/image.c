/* What libFuzzer calls with every input: the bytes as a photo, decoded, turned and encoded again as the command does. */
#include "CImaging.h"
#include <stdlib.h>

static bool take(void *context, const uint8_t *row, uint32_t y) {
    *(uint32_t *)context += row[0] + y;
    return true;
}

static void jpeg(const uint8_t *bytes, size_t count, const idci_limits *limits) {
    char message[200];
    idci_jpeg_header header;
    if (idci_jpeg_read_header(bytes, count, limits, &header, message, sizeof message) != IDCI_OK) return;
    const idci_jpeg_encoding encoding = {.quality = 50, .subsample_chroma = true};
    uint8_t *out = NULL;
    size_t size = 0;
    if (header.icc_bytes > 0 && header.icc_bytes <= count) {
        uint8_t *profile = malloc(header.icc_bytes);
        idci_jpeg_copy_icc(bytes, count, profile, header.icc_bytes);
        free(profile);
    }
    if (header.planar) {
        idci_jpeg_planes *planes = idci_jpeg_planes_create();
        const uint32_t width = (header.width + 1) / 2, height = (header.height + 1) / 2;
        const idci_jpeg_plan plan = {
            .scale = idci_jpeg_scale_for(header.width, header.height, width, height), .target_width = width, .target_height = height,
            .orientation = header.orientation ? header.orientation : 1,
        };
        if (idci_jpeg_decode_planes(bytes, count, limits, &plan, planes, message, sizeof message) == IDCI_OK
            && idci_jpeg_encode_planes(planes, &encoding, &out, &size, message, sizeof message) == IDCI_OK) free(out);
        idci_jpeg_planes_destroy(planes);
    } else {
        uint32_t sum = 0;
        idci_jpeg_decode_rows(bytes, count, limits, IDCI_JPEG_RGB, 8, take, &sum, message, sizeof message);
    }
    if (header.requantizable
        && idci_jpeg_requantize(bytes, count, limits, 6, &encoding, &out, &size, message, sizeof message) == IDCI_OK) free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    const idci_limits limits = {
        .max_pixels = 1 << 20, .max_edge = 4096, .max_memory_bytes = 64 << 20, .max_scans = 20, .max_milliseconds = 2000,
    };
    char message[200];
    jpeg(bytes, count, &limits);
    uint32_t sum = 0;
    uint8_t *icc = NULL;
    size_t icc_count = 0;
    idci_png_read_rows(bytes, count, &limits, take, &sum, &icc, &icc_count, message, sizeof message);
    free(icc);
    return 0;
}

/* What libFuzzer calls with every input: the bytes as a photo, decoded, turned and encoded again as the command does. */
#include "CImaging.h"
#include <stdlib.h>

static const idci_limits limits = {
    .max_pixels = 1 << 20, .max_edge = 4096, .max_memory_bytes = 64 << 20, .max_scans = 20, .max_milliseconds = 2000,
};
static const idci_jpeg_encoding encoding = {.quality = 50};
static char message[200];

static idci_planes *half(uint32_t width, uint32_t height, uint32_t scale, int32_t orientation) {
    const idci_reduction reduction = {width, height, scale, (width + 1) / 2, (height + 1) / 2, orientation ? orientation : 1};
    return idci_planes_create(&reduction);
}

static void encode(idci_planes *planes, idci_status decoded) {
    uint8_t *out = NULL;
    size_t size = 0;
    static idci_colour_transform transform = {.matrix = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int i = 0; i < 3 * 256; i++) transform.linear[i / 256][i % 256] = (float)(i % 256) / 255;
    if (decoded == IDCI_OK) {
        idci_planes_to_srgb(planes, &transform);
        idci_planes *smaller = idci_planes_reduced(planes, 1, 1);
        if (idci_jpeg_encode_planes(planes, &encoding, &out, &size, message, sizeof message) == IDCI_OK) free(out);
        if (idci_jpeg_encode_planes(smaller, &encoding, &out, &size, message, sizeof message) == IDCI_OK) free(out);
        idci_planes_destroy(smaller);
    }
    idci_planes_destroy(planes);
}

static void jpeg(const uint8_t *bytes, size_t count) {
    idci_jpeg_header header;
    if (idci_jpeg_read_header(bytes, count, &limits, &header, message, sizeof message) != IDCI_OK) return;
    uint8_t *out = NULL;
    size_t size = 0;
    if (header.icc_bytes > 0 && header.icc_bytes <= count) {
        uint8_t *profile = malloc(header.icc_bytes);
        idci_jpeg_copy_icc(bytes, count, profile, header.icc_bytes);
        free(profile);
    }
    uint32_t scale = idci_jpeg_scale_for(header.width, header.height, (header.width + 1) / 2, (header.height + 1) / 2);
    idci_planes *planes = half(header.width, header.height, scale, header.orientation);
    encode(planes, idci_jpeg_decode_planes(bytes, count, &limits, planes, message, sizeof message));
    idci_jpeg_decode(bytes, count, &limits, 1, NULL, 0, message, sizeof message);
    if (header.requantizable
        && idci_jpeg_requantize(bytes, count, &limits, 6, &encoding, &out, &size, message, sizeof message) == IDCI_OK) free(out);
}

static void png(const uint8_t *bytes, size_t count) {
    idci_png_header header;
    if (idci_png_read_header(bytes, count, &limits, &header, message, sizeof message) != IDCI_OK) return;
    uint8_t *icc = NULL;
    size_t icc_count = 0;
    idci_planes *planes = half(header.width, header.height, 8, header.orientation);
    encode(planes, idci_png_decode_planes(bytes, count, &limits, planes, &icc, &icc_count, message, sizeof message));
    free(icc);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    jpeg(bytes, count);
    png(bytes, count);
    return 0;
}

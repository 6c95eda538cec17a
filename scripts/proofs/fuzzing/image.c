/* What libFuzzer calls with every input: the bytes as a photo, decoded, turned and encoded again as the command does. The last
 * bytes of an input are no photo: they say to which sizes, turned how, and in which quality. */
#include "CImaging.h"
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 8 };
static const idci_limits limits = {
    .max_pixels = 1 << 20, .max_edge = 4096, .max_memory_bytes = 64 << 20, .max_scans = 20, .max_milliseconds = 2000,
};
static char message[200];
static const uint8_t *parameters;
static idci_jpeg_encoding encoding;
static uint8_t profile[256];

/* A share of an edge, at least one pixel. */
static uint32_t part(uint32_t edge, uint8_t share) { return 1 + (uint32_t)((uint64_t)(edge - 1) * share / 255); }

static void choose(const uint8_t *last) {
    parameters = last;
    encoding = (idci_jpeg_encoding){.quality = 1 + last[5] % 100, .byte_ceiling = last[6] % 2 ? 64u * last[6] : 0};
    if (last[7] % 2) encoding.icc = profile, encoding.icc_count = last[7];
}

static int32_t turn(int32_t orientation) { return parameters[4] % 2 ? parameters[4] / 2 % 9 : orientation; }

static void encode(const idci_planes *planes) {
    uint8_t *out = NULL;
    size_t size = 0;
    if (idci_jpeg_encode_planes(planes, &encoding, &out, &size, message, sizeof message) == IDCI_OK) free(out);
}

static idci_reduction reduction(uint32_t width, uint32_t height, int32_t orientation) {
    return (idci_reduction){width, height, 8, part(width, parameters[0]), part(height, parameters[1]), turn(orientation)};
}

static void finish(idci_planes *planes, idci_status decoded, const idci_reduction *r) {
    static idci_colour_transform transform = {.matrix = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int i = 0; i < 3 * 256; i++) transform.linear[i / 256][i % 256] = (float)(i % 256) / 255;
    if (decoded == IDCI_OK) {
        const bool lies = r->orientation > 4;
        idci_planes_to_srgb(planes, &transform);
        idci_planes *smaller = idci_planes_reduced(
            planes, part(lies ? r->target_height : r->target_width, parameters[2]),
            part(lies ? r->target_width : r->target_height, parameters[3]));
        encode(planes);
        encode(smaller);
        idci_planes_destroy(smaller);
    }
    idci_planes_destroy(planes);
}

static void jpeg(const uint8_t *bytes, size_t count) {
    idci_header header;
    if (idci_jpeg_read_header(bytes, count, &limits, &header, message, sizeof message) != IDCI_OK) return;
    uint8_t *out = NULL;
    size_t size = 0;
    if (header.icc_bytes > 0 && header.icc_bytes <= count) {
        uint8_t *embedded = malloc(header.icc_bytes);
        idci_jpeg_copy_icc(bytes, count, embedded, header.icc_bytes);
        free(embedded);
    }
    idci_reduction r = reduction(header.width, header.height, header.orientation);
    r.scale = idci_jpeg_scale_for(r.width, r.height, r.target_width, r.target_height);
    idci_planes *planes = idci_planes_create(&r);
    finish(planes, idci_jpeg_decode_planes(bytes, count, &limits, planes, message, sizeof message), &r);
    idci_jpeg_decode(bytes, count, &limits, 1, NULL, 0, message, sizeof message);
    if (header.requantizable
        && idci_jpeg_requantize(bytes, count, &limits, turn(header.orientation), &encoding, &out, &size, message, sizeof message)
            == IDCI_OK) free(out);
}

static void png(const uint8_t *bytes, size_t count) {
    idci_header header;
    if (idci_png_read_header(bytes, count, &limits, &header, message, sizeof message) != IDCI_OK) return;
    uint8_t *icc = NULL;
    size_t icc_count = 0;
    const idci_reduction r = reduction(header.width, header.height, header.orientation);
    idci_planes *planes = idci_planes_create(&r);
    finish(planes, idci_png_decode_planes(bytes, count, &limits, planes, &icc, &icc_count, message, sizeof message), &r);
    free(icc);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    if (count < PARAMETERS) return 0;
    choose(bytes + count - PARAMETERS);
    /* In memory of its own, so that the sanitizer sees a step beyond its end. */
    count -= PARAMETERS;
    uint8_t *photo = malloc(count ? count : 1);
    memcpy(photo, bytes, count);
    jpeg(photo, count);
    png(photo, count);
    free(photo);
    return 0;
}

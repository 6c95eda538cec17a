#include <stdio.h>
#include <string.h>

#include "CPNGReader.h"

// PNG specification (third edition) sections 5.3 and 11.2.1: signature, then chunks of length, type, data, CRC.
enum {
    SIGNATURE_BYTES = 8,
    CHUNK_OVERHEAD = 12,
    IHDR_BYTES = 13,
    FIXED_BYTES = 256 * 1024,
};

static uint32_t read_integer(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void say(char *message, size_t capacity, const char *text) {
    if (message != NULL && capacity > 0) snprintf(message, capacity, "%s", text);
}

static void walk_chunks(const uint8_t *bytes, size_t count, idc_png_header *header) {
    size_t at = SIGNATURE_BYTES;
    while (count - at >= CHUNK_OVERHEAD) {
        size_t length = read_integer(bytes + at);
        if (length > count - at - CHUNK_OVERHEAD) return;
        const uint8_t *type = bytes + at + 4;
        if (memcmp(type, "IEND", 4) == 0) return;
        if (memcmp(type, "eXIf", 4) == 0 && header->exif_count == 0) {
            header->exif_offset = at + 8;
            header->exif_count = length;
        }
        if (memcmp(type, "iCCP", 4) == 0) header->has_icc = true;
        at += length + CHUNK_OVERHEAD;
    }
}

static idc_png_status check_limits(
    const idc_png_header *header, const idc_png_limits *limits, char *message, size_t capacity
) {
    uint64_t pixels = (uint64_t)header->width * header->height;
    if (limits == NULL) return IDC_PNG_OK;
    if (limits->max_edge > 0 && (header->width > limits->max_edge || header->height > limits->max_edge)) {
        say(message, capacity, "an edge is longer than allowed");
        return IDC_PNG_EDGE_TOO_LONG;
    }
    if (limits->max_pixels > 0 && pixels > limits->max_pixels) {
        say(message, capacity, "more pixels than allowed");
        return IDC_PNG_TOO_MANY_PIXELS;
    }
    // libpng holds two rows of up to 8 bytes per pixel; we hold one more, or the whole picture when interlaced.
    uint64_t needed = FIXED_BYTES + (uint64_t)header->width * 24;
    if (header->interlaced) needed += pixels * 4;
    if (limits->max_memory_bytes > 0 && needed > limits->max_memory_bytes) {
        say(message, capacity, "decoding needs more memory than allowed");
        return IDC_PNG_TOO_MUCH_MEMORY;
    }
    return IDC_PNG_OK;
}

idc_png_status idc_png_read_header(
    const uint8_t *bytes, size_t count, const idc_png_limits *limits, idc_png_header *header, char *message,
    size_t message_capacity
) {
    static const uint8_t signature[SIGNATURE_BYTES] = {0x89, 'P', 'N', 'G', 0x0D, 0x0A, 0x1A, 0x0A};
    if (bytes == NULL || header == NULL) return IDC_PNG_INTERNAL;
    memset(header, 0, sizeof *header);
    say(message, message_capacity, "");
    if (count < SIGNATURE_BYTES + CHUNK_OVERHEAD + IHDR_BYTES) {
        say(message, message_capacity, "the data ends within the header");
        return IDC_PNG_TRUNCATED;
    }
    const uint8_t *ihdr = bytes + SIGNATURE_BYTES;
    bool begins = memcmp(bytes, signature, SIGNATURE_BYTES) == 0 && read_integer(ihdr) == IHDR_BYTES
        && memcmp(ihdr + 4, "IHDR", 4) == 0;
    if (!begins) {
        say(message, message_capacity, "no IHDR chunk at the beginning");
        return IDC_PNG_CORRUPT;
    }
    header->width = read_integer(ihdr + 8);
    header->height = read_integer(ihdr + 12);
    header->bit_depth = ihdr[16];
    header->colour_type = ihdr[17];
    header->interlaced = ihdr[20] != 0;
    if (header->width == 0 || header->height == 0) {
        say(message, message_capacity, "an edge is zero");
        return IDC_PNG_CORRUPT;
    }
    walk_chunks(bytes, count, header);
    return check_limits(header, limits, message, message_capacity);
}

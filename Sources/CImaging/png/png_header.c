#include <string.h>

#include "../call_limits.h"
#include "idci_png.h"
#include "png_text.h"

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

// Returns the orientation; eXIf takes precedence over the text form in any order of the chunks.
static int32_t orientation_of(const uint8_t *bytes, size_t count) {
    int32_t from_text = -1;
    size_t at = SIGNATURE_BYTES;
    while (count - at >= CHUNK_OVERHEAD) {
        size_t length = read_integer(bytes + at);
        if (length > count - at - CHUNK_OVERHEAD) break;
        const uint8_t *type = bytes + at + 4;
        if (memcmp(type, "IEND", 4) == 0) break;
        if (memcmp(type, "eXIf", 4) == 0) return idci_exif_orientation(bytes + at + 8, length);
        // Only the first: each may take a millisecond to inflate.
        if (from_text < 0) from_text = idci_png_text_orientation(bytes + at, length + CHUNK_OVERHEAD);
        at += length + CHUNK_OVERHEAD;
    }
    return from_text < 0 ? 0 : from_text;
}

idci_status idci_png_read_header(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_header *header, char *message,
    size_t message_capacity
) {
    static const uint8_t signature[SIGNATURE_BYTES] = {0x89, 'P', 'N', 'G', 0x0D, 0x0A, 0x1A, 0x0A};
    if (bytes == NULL || header == NULL) return IDCI_INTERNAL;
    memset(header, 0, sizeof *header);
    idci_write_message(message, message_capacity, "");
    if (count < SIGNATURE_BYTES + CHUNK_OVERHEAD + IHDR_BYTES) {
        idci_write_message(message, message_capacity, "the data ends within the header");
        return IDCI_TRUNCATED;
    }
    const uint8_t *ihdr = bytes + SIGNATURE_BYTES;
    if (memcmp(bytes, signature, SIGNATURE_BYTES) == 0 && memcmp(ihdr + 4, "CgBI", 4) == 0) {
        // Apple's variant: no zlib header, blue before red. libpng reports it as damaged.
        idci_write_message(message, message_capacity, "a CgBI chunk");
        return IDCI_UNSUPPORTED;
    }
    bool begins = memcmp(bytes, signature, SIGNATURE_BYTES) == 0 && read_integer(ihdr) == IHDR_BYTES
        && memcmp(ihdr + 4, "IHDR", 4) == 0;
    if (!begins) {
        idci_write_message(message, message_capacity, "no IHDR chunk at the beginning");
        return IDCI_CORRUPT;
    }
    header->width = read_integer(ihdr + 8);
    header->height = read_integer(ihdr + 12);
    if (header->width == 0 || header->height == 0) {
        idci_write_message(message, message_capacity, "an edge is zero");
        return IDCI_CORRUPT;
    }
    // libpng holds two rows of up to 8 bytes per pixel; we hold one more, or the whole picture when interlaced.
    header->decode_memory = FIXED_BYTES + (uint64_t)header->width * 24;
    if (ihdr[20] != 0) header->decode_memory += (uint64_t)header->width * header->height * 4;
    idci_status status = idci_check_size(limits, header->width, header->height, header->decode_memory);
    if (status == IDCI_OK) header->orientation = orientation_of(bytes, count);
    return status;
}

#include "jpeg_segments.h"

#include <string.h>

enum {
    MARKER_SOF0 = 0xC0,
    MARKER_DHT = 0xC4,
    MARKER_DAC = 0xCC,
    MARKER_SOF15 = 0xCF,
    MARKER_RST0 = 0xD0,
    MARKER_RST7 = 0xD7,
    MARKER_SOI = 0xD8,
    MARKER_EOI = 0xD9,
    MARKER_SOS = 0xDA,
    MARKER_APP0 = 0xE0,
    MARKER_APP1 = 0xE1,
    MARKER_APP2 = 0xE2,
    MARKER_APP14 = 0xEE,
    MARKER_APP15 = 0xEF,
    MARKER_COM = 0xFE,
    MARKER_TEM = 0x01,
};

// TIFF 6.0 section 2, as Exif 2.32 section 4.5 embeds it.
enum {
    TIFF_ENTRY_BYTES = 12,
    TIFF_SHORT = 3,
    TIFF_LONG = 4,
    TAG_ORIENTATION = 0x0112,
};

static uint32_t read_integer(const uint8_t *at, int bytes, bool little) {
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | at[little ? bytes - 1 - i : i];
    return value;
}

int32_t idci_exif_orientation(const uint8_t *tiff, size_t count) {
    if (tiff == NULL || count < 14) return 0;
    bool little = tiff[0] == 'I' && tiff[1] == 'I';
    if (!little && !(tiff[0] == 'M' && tiff[1] == 'M')) return 0;
    if (read_integer(tiff + 2, 2, little) != 42) return 0;
    size_t directory = read_integer(tiff + 4, 4, little);
    if (directory < 8 || directory > count - 2) return 0;
    size_t entries = read_integer(tiff + directory, 2, little);
    const size_t room = (count - directory - 2) / TIFF_ENTRY_BYTES;
    if (entries > room) entries = room;  // A count may be false: read only existing entries.
    for (size_t i = 0; i < entries; i++) {
        const uint8_t *entry = tiff + directory + 2 + i * TIFF_ENTRY_BYTES;
        if (read_integer(entry, 2, little) != TAG_ORIENTATION) continue;
        uint32_t type = read_integer(entry + 2, 2, little);
        if (read_integer(entry + 4, 4, little) != 1 || (type != TIFF_SHORT && type != TIFF_LONG)) return 0;
        uint32_t value = read_integer(entry + 8, type == TIFF_SHORT ? 2 : 4, little);
        return value >= 1 && value <= 8 ? (int32_t)value : 0;
    }
    return 0;
}

static bool starts_with(const uint8_t *body, size_t count, const char *text, size_t text_count) {
    return count >= text_count && memcmp(body, text, text_count) == 0;
}

static void read_icc_chunk(const uint8_t *body, size_t count, idci_jpeg_segments *segments) {
    if (count < 14) return;
    int32_t sequence = body[12], chunks = body[13];
    bool fits = sequence >= 1 && sequence <= chunks && segments->icc[sequence].bytes == NULL
        && (segments->icc_chunks == 0 || segments->icc_chunks == chunks);
    if (!fits) {
        segments->icc_chunks = -1;  // Contradictory: no profile at all.
        return;
    }
    segments->icc_chunks = chunks;
    segments->icc[sequence].bytes = body + 14;
    segments->icc[sequence].count = count - 14;
}

static void read_segment(int marker, const uint8_t *body, size_t count, idci_jpeg_segments *segments) {
    if (marker >= MARKER_SOF0 && marker <= MARKER_SOF15 && marker != MARKER_DHT && marker != MARKER_DAC
        && marker != 0xC8) {
        if (segments->start_of_frame == 0) segments->start_of_frame = marker;
        return;
    }
    if (marker == MARKER_APP0 && starts_with(body, count, "JFIF\0", 5)) {
        bool bare = count == 14 && body[12] == 0 && body[13] == 0;  // Without a thumbnail.
        if (!bare) segments->has_metadata = true;
    } else if (marker == MARKER_APP14 && starts_with(body, count, "Adobe", 5) && count == 12) {
        // It describes the colour coding and is not metadata.
    } else if ((marker >= MARKER_APP0 && marker <= MARKER_APP15) || marker == MARKER_COM) {
        segments->has_metadata = true;
        if (marker == MARKER_APP1 && starts_with(body, count, "Exif\0\0", 6) && segments->orientation == 0) {
            segments->orientation = idci_exif_orientation(body + 6, count - 6);
        } else if (marker == MARKER_APP2 && starts_with(body, count, "ICC_PROFILE\0", 12)) {
            read_icc_chunk(body, count, segments);
        }
    }
}

// Returns the index of the first byte after entropy-coded data: the FF of a real marker, or the end.
static size_t skip_entropy_coded(const uint8_t *bytes, size_t count, size_t at) {
    while (at + 1 < count) {
        const uint8_t *found = memchr(bytes + at, 0xFF, count - at - 1);
        if (found == NULL) return count;
        at = (size_t)(found - bytes);
        int next = bytes[at + 1];
        if (next != 0x00 && next != 0xFF && !(next >= MARKER_RST0 && next <= MARKER_RST7)) return at;
        at += next == 0xFF ? 1 : 2;
    }
    return count;
}

static void sum_icc(idci_jpeg_segments *segments) {
    size_t total = 0;
    for (int32_t i = 1; i <= segments->icc_chunks; i++) {
        if (segments->icc[i].bytes == NULL) return;
        total += segments->icc[i].count;
    }
    segments->icc_bytes = total;
}

void idci_jpeg_walk_segments(const uint8_t *bytes, size_t count, idci_jpeg_segments *segments) {
    memset(segments, 0, sizeof *segments);
    if (bytes == NULL || count < 4 || bytes[0] != 0xFF || bytes[1] != MARKER_SOI) return;
    bool ended = false;
    size_t at = 2;
    while (at + 1 < count) {
        if (bytes[at] != 0xFF) {
            segments->has_metadata = true;  // Stray bytes: libjpeg skips them, but the file is not clean.
            at += 1;
            continue;
        }
        int marker = bytes[at + 1];
        if (marker == 0xFF) {  // Fill byte.
            at += 1;
            continue;
        }
        at += 2;
        if (marker == MARKER_EOI) {
            ended = true;
            break;
        }
        bool is_without_body = marker == 0 || marker == MARKER_TEM || (marker >= MARKER_RST0 && marker <= MARKER_SOI);
        if (is_without_body) {
            segments->has_metadata = true;
            continue;
        }
        if (at + 2 > count) break;
        size_t length = read_integer(bytes + at, 2, false);
        if (length < 2 || length > count - at) break;
        read_segment(marker, bytes + at + 2, length - 2, segments);
        at += length;
        if (marker == MARKER_SOS) at = skip_entropy_coded(bytes, count, at);
    }
    if (!ended) segments->has_metadata = true;
    segments->has_trailing_bytes = ended && at < count;
    sum_icc(segments);
}

bool idci_jpeg_copy_icc(const uint8_t *bytes, size_t count, uint8_t *profile, size_t profile_count) {
    idci_jpeg_segments segments;
    idci_jpeg_walk_segments(bytes, count, &segments);
    if (segments.icc_bytes == 0 || segments.icc_bytes > profile_count || profile == NULL) return false;
    for (int32_t i = 1; i <= segments.icc_chunks; i++) {
        memcpy(profile, segments.icc[i].bytes, segments.icc[i].count);
        profile += segments.icc[i].count;
    }
    return true;
}

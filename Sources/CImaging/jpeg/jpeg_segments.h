// Walks over the marker segments without libjpeg: bounded, without allocation, checking every length.

#ifndef IDCI_JPEG_SEGMENTS_H
#define IDCI_JPEG_SEGMENTS_H

#include "idci_jpeg.h"

typedef struct {
    int32_t orientation;      // 0 when there is none.
    int32_t start_of_frame;   // The SOF marker byte (0xC0...), or 0.
    bool has_metadata;        // See idci_header; also set for bytes that the walk cannot interpret.
    bool has_trailing_bytes;
    size_t icc_bytes;         // 0 unless every chunk is there exactly once.
    struct {
        const uint8_t *bytes;
        size_t count;
    } icc[256];               // By sequence number; 0 is unused.
    int32_t icc_chunks;
} idci_jpeg_segments;

void idci_jpeg_walk_segments(const uint8_t *bytes, size_t count, idci_jpeg_segments *segments);

#endif

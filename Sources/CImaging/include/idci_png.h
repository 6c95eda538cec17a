// Reading PNG row by row through libpng: a setjmp boundary, limits checked from IHDR before libpng sees the file,
// nothing ever printed. Every kind of PNG becomes 8-bit RGBX, transparency flattened on white, and then planes.
//
// A file that ends before IEND is refused (IDCI_TRUNCATED), as is a bad checksum in a critical chunk.

#ifndef IDCI_PNG_H
#define IDCI_PNG_H

#include "idci_image.h"
#include "idci_planes.h"

/// The values from the chunks.
typedef struct {
    uint32_t width;         ///< In pixels; known when a limit is exceeded, too.
    uint32_t height;        ///< In pixels; known when a limit is exceeded, too.
    bool interlaced;        ///< Adam7.
    int32_t orientation;    ///< Exif orientation 1...8, or 0 when there is none.
    uint64_t decode_memory; ///< Estimate of the memory for decoding, in bytes.
} idci_png_header;

/// Reads IHDR, walks the chunks and checks every limit. The orientation is in eXIf or, from older programs, in a text
/// chunk named "Raw profile type exif" (or APP1) that holds the Exif block in hexadecimal; eXIf takes precedence.
idci_status idci_png_read_header(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_png_header *header, char *message,
    size_t message_capacity);

/// Decodes, reduces and rotates a picture. On success `*icc` is NULL or a profile allocated with malloc.
idci_status idci_png_decode_planes(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_planes *planes, uint8_t **icc,
    size_t *icc_count, char *message, size_t message_capacity);

#endif

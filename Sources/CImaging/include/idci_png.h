// Reading PNG row by row through libpng: a setjmp boundary, limits checked from IHDR before libpng sees the file,
// nothing ever printed. Every kind of PNG becomes 8-bit RGBX, transparency flattened on white, and then planes.
//
// A file that ends before IEND is refused (IDCI_TRUNCATED), as is a bad checksum in a critical chunk.

#ifndef IDCI_PNG_H
#define IDCI_PNG_H

#include "idci_image.h"
#include "idci_planes.h"

/// Reads IHDR, walks the chunks and checks every limit. The orientation is in eXIf or, from older programs, in a text
/// chunk named "Raw profile type exif" (or APP1) that holds the Exif block in hexadecimal; eXIf takes precedence.
idci_status idci_png_read_header(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_header *header, char *message,
    size_t message_capacity);

/// Decodes, reduces and rotates a picture. On success `*icc` is NULL or a profile allocated with malloc.
idci_status idci_png_decode_planes(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_planes *planes, uint8_t **icc,
    size_t *icc_count, char *message, size_t message_capacity);

#endif

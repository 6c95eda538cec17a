// The orientation in a text chunk, as ImageMagick and ExifTool wrote it before PNG had eXIf (2017).

#ifndef IDCI_PNG_TEXT_H
#define IDCI_PNG_TEXT_H

#include <stddef.h>
#include <stdint.h>

// Returns the Exif orientation 1...8 in a tEXt, zTXt or iTXt chunk named "Raw profile type exif" (or APP1); 0 when such
// a chunk has no orientation, -1 for any other chunk. The chunk includes its length, type and checksum.
int32_t idci_png_text_orientation(const uint8_t *chunk, size_t chunk_bytes);

#endif

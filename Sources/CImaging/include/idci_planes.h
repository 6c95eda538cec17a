// The format between decoders and the encoder: luma and chroma planes, 4:2:0, reduced and upright. Pictures coded as
// luma and chroma need no colour conversion, and half as many bytes are reduced.

#ifndef IDCI_PLANES_H
#define IDCI_PLANES_H

#include "idci_image.h"

/// The change of a picture between decoder and encoder.
typedef struct {
    uint32_t width;          ///< In pixels, as stored.
    uint32_t height;         ///< In pixels, as stored.
    uint32_t scale;          ///< Scale of the decoder in eighths: 1, 2, 4 or 8.
    uint32_t target_width;   ///< In pixels, before orientation; not larger than the picture.
    uint32_t target_height;  ///< In pixels, before orientation; not larger than the picture.
    int32_t orientation;     ///< Exif orientation 1...8 to undo (Exif 2.32, tag 0x0112), or 0.
} idci_reduction;

/// The planes of one picture (YCbCr as JFIF defines it). An antialiased bicubic (Catmull-Rom) reduction makes them from
/// rows as they are decoded, and holds only as many rows as its kernel needs.
typedef struct idci_planes idci_planes;

/// Returns the maximum memory for making and holding such planes, in bytes; it dominates when a wide picture becomes
/// tiny.
uint64_t idci_planes_memory(const idci_reduction *reduction);

/// Creates empty planes; NULL when memory is short, an edge is zero or the target is larger than the picture.
idci_planes *idci_planes_create(const idci_reduction *reduction);

/// Returns a smaller copy; NULL when memory is short.
idci_planes *idci_planes_reduced(const idci_planes *planes, uint32_t width, uint32_t height);

void idci_planes_destroy(idci_planes *planes);

// MARK: - Colours

/// Parameters of a matrix/TRC to sRGB conversion.
typedef struct {
    float linear[3][256];    ///< Device value to linear light, per channel.
    float matrix[9];         ///< Linear device RGB to linear sRGB, row-major.
} idci_colour_transform;

/// Converts RGBX pixels in place.
void idci_pixels_to_srgb(uint8_t *pixels, size_t count, const idci_colour_transform *transform);

/// Converts planes in place.
void idci_planes_to_srgb(idci_planes *planes, const idci_colour_transform *transform);

#endif

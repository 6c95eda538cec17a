// What reading JPEG and PNG have in common, and loops over pixels that must be fast in debug builds too.
// Plain C functions and structs only, so that Swift can call them. Memory that a call hands over is freed with free().

#ifndef IDCI_IMAGE_H
#define IDCI_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The outcome of a call.
typedef enum {
    IDCI_OK = 0,
    IDCI_CORRUPT = 1,          ///< Another format, or data that contradicts itself.
    IDCI_TRUNCATED = 2,        ///< The bytes end before the picture does.
    IDCI_TOO_MANY_PIXELS = 3,  ///< `max_pixels`
    IDCI_EDGE_TOO_LONG = 4,    ///< `max_edge`
    IDCI_TOO_MUCH_MEMORY = 5,  ///< `max_memory_bytes`
    IDCI_TOO_MANY_SCANS = 6,   ///< `max_scans`
    IDCI_UNSUPPORTED = 7,      ///< A JPEG libjpeg cannot decode (lossless, 12 bits), or a CgBI PNG.
    IDCI_OUT_OF_MEMORY = 8,    ///< malloc failed.
    IDCI_OVER_CEILING = 9,     ///< The encoded bytes would exceed the caller's ceiling.
    IDCI_TOO_SLOW = 10,        ///< `max_milliseconds`
    IDCI_STOPPED = 11,         ///< The caller's row function asked to stop.
    IDCI_INTERNAL = 12,        ///< Wrong arguments, or an error of a library that has no other class.
    IDCI_NO_HEIGHT = 13,       ///< A JPEG whose frame header leaves the height to a DNL segment.
} idci_status;

/// What one image may cost. Zero means no limit of this kind.
typedef struct {
    uint64_t max_pixels;        ///< Width times height as the header claims them.
    uint32_t max_edge;          ///< The longer of width and height, in pixels.
    uint64_t max_memory_bytes;  ///< What decoding may hold, estimated before; libjpeg's memory manager obeys it, too.
    uint32_t max_scans;         ///< Scans of a progressive or multi-scan JPEG.
    uint32_t max_milliseconds;  ///< Wall time of one call.
} idci_limits;

/// Receives one row of pixels, top to bottom; returns false to stop.
typedef bool (*idci_row_function)(void *context, const uint8_t *row, uint32_t y);

/// The orientation 1...8 of a TIFF block as Exif embeds it (the content of PNG's eXIf chunk, too), or 0. Looks at the
/// entries of the first directory only and follows no further offset, so nothing can loop.
int32_t idci_exif_orientation(const uint8_t *tiff, size_t count);

// MARK: - Pixels: interleaved 8-bit RGBX (4 bytes per pixel)

/// A separable antialiased bicubic (Catmull-Rom) reduction that takes rows as they are decoded, keeps only as many as
/// its kernel is high, and turns the picture upright. Colours are planes meanwhile, reduced as those of a JPEG are. It
/// never enlarges.
typedef struct idci_resampler idci_resampler;

/// What reducing from source to target size holds beside the target itself, in bytes: a few rows of the source, but
/// all of a wide one that becomes tiny.
uint64_t idci_resampler_memory(
    uint32_t source_width, uint32_t source_height, uint32_t target_width, uint32_t target_height);

/// Makes a resampler from source to target size, both as stored, that undoes Exif `orientation` 1...8 (Exif 2.32, tag
/// 0x0112) and writes RGBX rows without gaps into `pixels`: target_width * target_height pixels, for 5...8 rows of
/// target_height. They are there once all rows are. NULL when memory is short, an edge is zero or the target is larger
/// than the source.
idci_resampler *idci_resampler_create(
    uint32_t source_width, uint32_t source_height, uint32_t target_width, uint32_t target_height, int32_t orientation,
    uint8_t *pixels);

/// Takes the next RGBX source row. Has the shape of `idci_row_function`; the context is the resampler.
bool idci_resampler_push(void *resampler, const uint8_t *row, uint32_t y);

/// True when every target row has been written.
bool idci_resampler_is_complete(const idci_resampler *resampler);

/// Frees the resampler, not the pixels.
void idci_resampler_destroy(idci_resampler *resampler);

/// Parameters of a matrix/TRC to sRGB conversion.
typedef struct {
    float linear[3][256];    ///< Device value to linear light, per channel.
    float matrix[9];         ///< Linear device RGB to linear sRGB, row-major.
} idci_colour_transform;

/// Converts RGBX pixels in place.
void idci_pixels_to_srgb(uint8_t *pixels, size_t count, const idci_colour_transform *transform);

#ifdef __cplusplus
}
#endif

#endif

// Pixel loops that must be fast in debug builds too: resampling, orientation, flattening, colour conversion.
// All work on interleaved 8-bit RGBX (4 bytes per pixel).

#ifndef IDC_CJPEG_PIXELS_H
#define IDC_CJPEG_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Receives one row of pixels, top to bottom; returns false to stop.
typedef bool (*idc_row_function)(void *context, const uint8_t *row, uint32_t y);

/// A separable antialiased bicubic (Catmull-Rom) reduction that takes rows as they are decoded and keeps only as many
/// as its kernel is high. It never enlarges.
typedef struct idc_resampler idc_resampler;

/// Makes a resampler from source to target size that writes RGBX into `pixels` (target_width * 4 bytes per row).
/// NULL when memory is short, an edge is zero or the target is larger than the source.
idc_resampler *idc_resampler_create(
    uint32_t source_width, uint32_t source_height, uint32_t target_width, uint32_t target_height, uint8_t *pixels);

/// Takes the next RGBX source row. Has the shape of `idc_row_function`; the context is the resampler.
bool idc_resampler_push(void *resampler, const uint8_t *row, uint32_t y);

/// True when every target row has been written.
bool idc_resampler_is_complete(const idc_resampler *resampler);

/// Frees the resampler, not the pixels.
void idc_resampler_destroy(idc_resampler *resampler);

/// Writes the upright picture of one stored with Exif `orientation` 1...8 (Exif 2.32, tag 0x0112).
/// `target` holds as many pixels; for 5...8 its width is `height` and its height is `width`. No overlap.
void idc_pixels_orient(
    const uint8_t *source, uint32_t width, uint32_t height, int32_t orientation, uint8_t *target);

/// Parameters of a matrix/TRC to sRGB conversion.
typedef struct {
    float linear[3][256];    ///< Device value to linear light, per channel.
    float matrix[9];         ///< Linear device RGB to linear sRGB, row-major.
} idc_colour_transform;

/// Converts RGBX pixels in place.
void idc_pixels_to_srgb(uint8_t *pixels, size_t count, const idc_colour_transform *transform);

#ifdef __cplusplus
}
#endif

#endif

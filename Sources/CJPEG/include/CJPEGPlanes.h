// The planar path: a 4:2:0 picture stays luma and chroma planes from decoder to encoder. No colour conversion, no
// chroma upsampling, half the bytes to reduce. For anything else there is the path over pixels in CJPEG.h.

#ifndef IDC_CJPEG_PLANES_H
#define IDC_CJPEG_PLANES_H

#include "CJPEG.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Planes and tables that are used again from picture to picture, by one thread at a time.
typedef struct idc_jpeg_planes idc_jpeg_planes;

/// Makes empty planes; NULL when memory is short.
idc_jpeg_planes *idc_jpeg_planes_create(void);

/// Frees the planes.
void idc_jpeg_planes_destroy(idc_jpeg_planes *planes);

/// The memory the planes hold, in bytes.
size_t idc_jpeg_planes_size(const idc_jpeg_planes *planes);

/// Whether a picture can take this path: three components in YCbCr, 4:2:0.
bool idc_jpeg_is_planar(const idc_jpeg_header *header);

/// What becomes of the picture before it is encoded.
typedef struct {
    uint32_t scale;          ///< Eighths at which libjpeg decodes: 1, 2, 4 or 8.
    uint32_t target_width;   ///< In pixels, before orientation; not larger than the picture.
    uint32_t target_height;  ///< In pixels, before orientation; not larger than the picture.
    int32_t orientation;     ///< Exif orientation 1...8 to undo.
} idc_jpeg_plan;

/// Decodes, reduces and turns a planar picture into `planes`.
idc_jpeg_status idc_jpeg_decode_planes(
    const uint8_t *bytes, size_t count, const idc_jpeg_limits *limits, const idc_jpeg_plan *plan,
    idc_jpeg_planes *planes, char *message, size_t message_capacity);

/// Encodes the planes as 4:2:0, whatever `encoding` says of chroma. Result as of `idc_jpeg_encode`.
idc_jpeg_status idc_jpeg_encode_planes(
    const idc_jpeg_planes *planes, const idc_jpeg_encoding *encoding, uint8_t **out, size_t *out_count, char *message,
    size_t message_capacity);

/// Decodes a planar picture and encodes it at the same size, row after row, without holding more than a few of them.
/// Orientation is not applied.
idc_jpeg_status idc_jpeg_recode(
    const uint8_t *bytes, size_t count, const idc_jpeg_limits *limits, const idc_jpeg_encoding *encoding,
    uint8_t **out, size_t *out_count, char *message, size_t message_capacity);

/// Whether a picture can be recompressed at its own size without becoming pixels: planar, of whole blocks (both edges
/// multiples of 16, so that no block reaches beyond an edge and carries what was cut off there), in a single scan.
bool idc_jpeg_is_requantizable(const idc_jpeg_header *header);

/// Recompresses such a picture at its own size and turns it by `orientation` (Exif 1...8), coefficients staying
/// coefficients. Where the turn needs all of them first, `planes` hold them (3 bytes per pixel), else one strip is held.
idc_jpeg_status idc_jpeg_requantize(
    const uint8_t *bytes, size_t count, const idc_jpeg_limits *limits, int32_t orientation,
    const idc_jpeg_encoding *encoding, idc_jpeg_planes *planes, uint8_t **out, size_t *out_count, char *message,
    size_t message_capacity);

#ifdef __cplusplus
}
#endif

#endif

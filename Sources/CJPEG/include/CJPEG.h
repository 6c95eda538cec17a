// The libjpeg shim: every call into libjpeg lies behind one setjmp boundary, nothing is ever printed, and every
// limit is enforced before and during decoding. Plain C functions and structs only, so that Swift can call them.
//
// Strictness. A decoder that pads a cut file with grey is dangerous here: half an identity card must never be sent.
//   refused as IDC_JPEG_TRUNCATED  the bytes end before the end marker (EOI), or EOI comes before the last block.
//   refused as IDC_JPEG_CORRUPT    bad Huffman or arithmetic code, lost restart marker, impossible progression,
//                                  a component without any scan.
//   accepted (benign)              bytes after EOI; stray bytes between segments or before EOI; unknown JFIF version
//                                  or Adobe transform code; odd spectral selection in a sequential scan;
//                                  a progressive file that ends properly after fewer scans (whole, less sharp).
// Damage that still decodes (a flipped bit within Huffman data may) cannot be noticed: JPEG has no checksum.

#ifndef IDC_CJPEG_H
#define IDC_CJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CJPEGPixels.h"
#include "idc_raster.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The outcome of every call.
typedef enum {
    IDC_JPEG_OK = 0,
    IDC_JPEG_CORRUPT = 1,          ///< Not a JPEG, or data that contradicts itself.
    IDC_JPEG_TRUNCATED = 2,        ///< The bytes end before the picture does.
    IDC_JPEG_TOO_MANY_PIXELS = 3,  ///< `max_pixels`
    IDC_JPEG_EDGE_TOO_LONG = 4,    ///< `max_edge`
    IDC_JPEG_TOO_MUCH_MEMORY = 5,  ///< `max_memory_bytes`
    IDC_JPEG_TOO_MANY_SCANS = 6,   ///< `max_scans`
    IDC_JPEG_UNSUPPORTED = 7,      ///< A JPEG this library cannot decode (lossless, 12 bits, odd component counts).
    IDC_JPEG_OUT_OF_MEMORY = 8,    ///< malloc failed.
    IDC_JPEG_OVER_CEILING = 9,     ///< The encoded bytes would exceed the caller's ceiling.
    IDC_JPEG_TOO_SLOW = 10,        ///< `max_milliseconds`
    IDC_JPEG_STOPPED = 11,         ///< The caller's row function asked to stop.
    IDC_JPEG_INTERNAL = 12,        ///< Wrong arguments, or an error of libjpeg that has no other class.
} idc_jpeg_status;

/// What one image may cost. Zero means no limit of this kind.
typedef struct {
    uint64_t max_pixels;        ///< Width times height as the header claims them.
    uint32_t max_edge;          ///< The longer of width and height, in pixels.
    uint64_t max_memory_bytes;  ///< What libjpeg may hold, estimated before decoding and given to its memory manager.
    uint32_t max_scans;         ///< Scans of a progressive or multi-scan file.
    uint32_t max_milliseconds;  ///< Wall time of one call.
} idc_jpeg_limits;

/// The colour space of the coded data.
typedef enum {
    IDC_JPEG_SPACE_GREY = 1,
    IDC_JPEG_SPACE_YCC = 2,
    IDC_JPEG_SPACE_RGB = 3,
    IDC_JPEG_SPACE_CMYK = 4,
    IDC_JPEG_SPACE_YCCK = 5,
} idc_jpeg_space;

/// What the header and the marker segments say.
typedef struct {
    uint32_t width;            ///< In pixels, before orientation.
    uint32_t height;           ///< In pixels, before orientation.
    int32_t components;        ///< 1, 3 or 4.
    idc_jpeg_space space;      ///< The colour space of the coded data.
    bool progressive;          ///< SOF2 or SOF10.
    bool multiple_scans;       ///< Needs coefficient buffers of the whole picture while decoding.
    bool baseline;             ///< SOF0: sequential, Huffman, 8 bits.
    int32_t adobe_transform;   ///< The transform byte of the Adobe segment, or -1 without one.
    int32_t h_sampling[4];     ///< Horizontal sampling factors.
    int32_t v_sampling[4];     ///< Vertical sampling factors.
    int32_t orientation;       ///< Exif orientation 1...8, or 0 when there is none (or none that can be believed).
    bool has_metadata;         ///< Any APPn or COM segment but a bare JFIF APP0 and Adobe APP14; ICC counts too.
    bool has_trailing_bytes;   ///< Bytes after EOI.
    size_t icc_bytes;          ///< Size of the embedded ICC profile, 0 without a complete one.
    uint64_t decode_memory;    ///< Estimate of what libjpeg will hold while decoding at full size, in bytes.
} idc_jpeg_header;

/// Pixel layouts a picture can be decoded to or encoded from. CMYK and YCCK are converted (naively, Adobe's
/// inverted inks respected), greyscale is spread.
typedef enum {
    IDC_JPEG_GREY = 1,  ///< 1 byte per pixel (luma).
    IDC_JPEG_RGB = 3,   ///< 3 bytes per pixel.
    IDC_JPEG_RGBX = 4,  ///< 4 bytes per pixel, the fourth is 255.
} idc_jpeg_layout;

/// Reads header and segments without decoding, and checks pixels, edge and memory against the limits.
/// `message` (may be NULL) receives a terminated text on failure; it never contains image data.
idc_jpeg_status idc_jpeg_read_header(
    const uint8_t *bytes, size_t count, const idc_jpeg_limits *limits, idc_jpeg_header *header, char *message,
    size_t message_capacity);

/// Copies the ICC profile announced by `icc_bytes`; false when it does not fit or is not there.
bool idc_jpeg_copy_icc(const uint8_t *bytes, size_t count, uint8_t *profile, size_t profile_count);

/// The orientation 1...8 of a TIFF block as Exif embeds it (the content of PNG's eXIf chunk too), or 0. Looks at the
/// entries of the first directory only and follows no further offset, so nothing can loop.
int32_t idc_exif_orientation(const uint8_t *tiff, size_t count);

/// The smallest DCT scale `n` of n/8 (1, 2, 4 or 8) at which both edges are still at least as long as asked.
uint32_t idc_jpeg_scale_for(uint32_t width, uint32_t height, uint32_t at_least_width, uint32_t at_least_height);

/// The edge length in pixels that libjpeg produces at `scale`/8: rounded up.
uint32_t idc_jpeg_scaled_edge(uint32_t edge, uint32_t scale);

/// Decodes at `scale`/8 (1, 2, 4 or 8) into the caller's pixels, which hold `stride` bytes per row and
/// `stride * scaled height` bytes in all (`pixels_count` is checked). Orientation is not applied.
idc_jpeg_status idc_jpeg_decode(
    const uint8_t *bytes, size_t count, const idc_jpeg_limits *limits, idc_jpeg_layout layout, uint32_t scale,
    uint8_t *pixels, size_t stride, size_t pixels_count, char *message, size_t message_capacity);

/// Decodes like `idc_jpeg_decode` but hands over one row after the other, so that no full picture is held.
/// The function must return true to go on.
idc_jpeg_status idc_jpeg_decode_rows(
    const uint8_t *bytes, size_t count, const idc_jpeg_limits *limits, idc_jpeg_layout layout, uint32_t scale,
    idc_row_function row, void *context, char *message, size_t message_capacity);

/// How to encode.
typedef struct {
    int32_t quality;         ///< 1...100 in libjpeg's scale.
    bool subsample_chroma;   ///< 4:2:0 when true, 4:4:4 otherwise; no meaning for grey.
    bool progressive;        ///< For tests; the service writes baseline.
    size_t byte_ceiling;     ///< Encoding stops with IDC_JPEG_OVER_CEILING beyond this many bytes; 0: none.
    const uint8_t *icc;      ///< An ICC profile to embed, or NULL.
    size_t icc_count;        ///< Its size in bytes.
} idc_jpeg_encoding;

/// Encodes pixels; JFIF APP0 and the ICC profile are the only segments written besides tables and data.
/// On success `*out` is allocated with malloc and must be given to `idc_jpeg_free`.
idc_jpeg_status idc_jpeg_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride, idc_jpeg_layout layout,
    const idc_jpeg_encoding *encoding, uint8_t **out, size_t *out_count, char *message, size_t message_capacity);

/// Encodes four ink values per pixel (0 = no ink) as Adobe does: inverted, YCCK when `ycck` is true, else CMYK;
/// without Adobe marker and not inverted when `adobe` is false. For tests and fixtures.
idc_jpeg_status idc_jpeg_encode_cmyk(
    const uint8_t *inks, uint32_t width, uint32_t height, size_t stride, bool ycck, bool adobe, int32_t quality,
    uint8_t **out, size_t *out_count, char *message, size_t message_capacity);

/// Gives back what an encoder returned.
void idc_jpeg_free(uint8_t *bytes);

#ifdef __cplusplus
}
#endif

#include "CJPEGPlanes.h"

#endif

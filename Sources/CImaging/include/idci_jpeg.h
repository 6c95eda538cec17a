// The libjpeg shim: every call into libjpeg lies behind one setjmp boundary, nothing is ever printed, and every
// limit is enforced before and during decoding.
//
// Strictness. A decoder that pads a cut file with grey is dangerous here: half an identity card must never be sent.
//   refused as IDCI_TRUNCATED  the bytes end before the end marker (EOI), or EOI comes before the last block.
//   refused as IDCI_CORRUPT    bad Huffman code, lost restart marker, impossible progression, a component without any
//                              scan.
//   refused as IDCI_UNSUPPORTED  arithmetic coding, always: libjpeg cannot detect the end of its data.
//   accepted (benign)          bytes after EOI; stray bytes between segments or before EOI; unknown JFIF version
//                              or Adobe transform code; odd spectral selection in a sequential scan;
//                              a progressive file that ends properly after fewer scans (whole, less sharp).
// Damage that still decodes (a flipped bit within Huffman data may) cannot be detected: JPEG has no checksum.
//
// Every call takes a `message` (may be NULL) that receives a terminated text on failure; it never holds image data.

#ifndef IDCI_JPEG_H
#define IDCI_JPEG_H

#include "idci_image.h"
#include "idci_planes.h"

/// Reads header and segments without decoding, and checks pixels, edge and memory against the limits.
idci_status idci_jpeg_read_header(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_header *header, char *message,
    size_t message_capacity);

/// Copies the ICC profile announced by `icc_bytes`; false when it is absent or does not fit.
bool idci_jpeg_copy_icc(const uint8_t *bytes, size_t count, uint8_t *profile, size_t profile_count);

/// Returns the smallest DCT scale `n` of n/8 (1, 2, 4 or 8) at which both edges have at least the given lengths.
uint32_t idci_jpeg_scale_for(uint32_t width, uint32_t height, uint32_t at_least_width, uint32_t at_least_height);

/// Returns the edge length in pixels that libjpeg produces at `scale`/8: rounded up.
uint32_t idci_jpeg_scaled_edge(uint32_t edge, uint32_t scale);

/// Decodes at `scale`/8 (1, 2, 4 or 8) into the caller's pixels, three bytes (RGB) each and rows without gaps; with
/// NULL the call only checks that the picture is complete. CMYK and YCCK are converted (naively; Adobe's inverted inks
/// are handled), greyscale becomes RGB. Orientation is not applied.
idci_status idci_jpeg_decode(
    const uint8_t *bytes, size_t count, const idci_limits *limits, uint32_t scale, uint8_t *pixels,
    size_t pixels_count, char *message, size_t message_capacity);

// MARK: - From planes to planes

/// Decodes, reduces and rotates a picture. Grey and YCbCr components of any sampling stay planes; other colours first
/// become pixels, as in `idci_jpeg_decode`.
idci_status idci_jpeg_decode_planes(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_planes *planes, char *message,
    size_t message_capacity);

typedef struct {
    int32_t quality;         ///< 1...100 in libjpeg's scale.
    size_t byte_ceiling;     ///< Encoding stops with IDCI_OVER_CEILING beyond this many bytes; 0: none.
    const uint8_t *icc;      ///< An ICC profile to embed, or NULL.
    size_t icc_count;        ///< Its size in bytes.
} idci_jpeg_encoding;

/// Encodes planes as baseline 4:2:0; JFIF APP0 and the ICC profile are the only segments written besides tables and
/// data. On success `*out` is allocated with malloc.
idci_status idci_jpeg_encode_planes(
    const idci_planes *planes, const idci_jpeg_encoding *encoding, uint8_t **out, size_t *out_count, char *message,
    size_t message_capacity);

/// Transcodes a requantizable picture in the DCT domain, without pixels; applies `orientation` (Exif 0...8). Holds one
/// strip of coefficients, or all (3 bytes per pixel) if the orientation needs the last rows first.
idci_status idci_jpeg_requantize(
    const uint8_t *bytes, size_t count, const idci_limits *limits, int32_t orientation,
    const idci_jpeg_encoding *encoding, uint8_t **out, size_t *out_count, char *message, size_t message_capacity);

#endif

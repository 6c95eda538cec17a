// Declarations shared by the readers of JPEG and PNG. Plain C functions and structs only, so that Swift can call them.
// The caller frees returned memory with free().

#ifndef IDCI_IMAGE_H
#define IDCI_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The outcome of a call.
typedef enum {
    IDCI_OK = 0,
    IDCI_CORRUPT = 1,          ///< Another format, or data that contradicts itself.
    IDCI_TRUNCATED = 2,        ///< The bytes end before the picture is complete.
    IDCI_TOO_MANY_PIXELS = 3,  ///< `max_pixels`
    IDCI_EDGE_TOO_LONG = 4,    ///< `max_edge`
    IDCI_TOO_MUCH_MEMORY = 5,  ///< `max_memory_bytes`
    IDCI_TOO_MANY_SCANS = 6,   ///< `max_scans`
    IDCI_UNSUPPORTED = 7,      ///< A JPEG that is lossless, of 12 bits or arithmetic-coded, or a CgBI PNG.
    IDCI_OUT_OF_MEMORY = 8,    ///< malloc failed.
    IDCI_OVER_CEILING = 9,     ///< The encoded bytes would exceed the caller's ceiling.
    IDCI_TOO_SLOW = 10,        ///< `max_milliseconds`
    IDCI_INTERNAL = 11,        ///< Wrong arguments, or an error of a library that has no other class.
    IDCI_NO_HEIGHT = 12,       ///< A JPEG whose frame header leaves the height to a DNL segment.
} idci_status;

/// The limits of one image. Zero means no limit of this kind.
typedef struct {
    uint64_t max_pixels;        ///< Width times height from the header.
    uint32_t max_edge;          ///< The longer of width and height, in pixels.
    uint64_t max_memory_bytes;  ///< Memory for decoding, estimated beforehand; also the limit of libjpeg's memory manager.
    uint32_t max_scans;         ///< Scans of a progressive or multi-scan JPEG.
    uint32_t max_milliseconds;  ///< Wall time of one call.
} idci_limits;

/// The values from the header of a picture. Those after the first four are of JPEGs: a PNG leaves them false or 0.
typedef struct {
    uint32_t width;            ///< In pixels, before orientation; known when a limit is exceeded, too.
    uint32_t height;           ///< In pixels, before orientation; known when a limit is exceeded, too.
    int32_t orientation;       ///< Exif orientation 1...8, or 0 when it is absent or invalid.
    uint64_t decode_memory;    ///< Estimate of the memory for decoding at full size, in bytes.
    int32_t components;        ///< 1, 3 or 4.
    bool plain_colours;        ///< Grey or YCbCr, as JFIF requires.
    bool baseline;             ///< SOF0 (sequential, Huffman, 8 bits), with a sampling that every decoder can read.
    bool requantizable;        ///< See idci_jpeg_requantize: 4:2:0 in YCbCr, whole blocks, one scan.
    bool has_metadata;         ///< Any APPn or COM segment except a bare JFIF APP0 and Adobe APP14; ICC counts too.
    bool has_trailing_bytes;   ///< Bytes after EOI.
    size_t icc_bytes;          ///< Size of the embedded ICC profile, 0 without a complete one.
} idci_header;

/// Returns the orientation 1...8 of a TIFF block as Exif embeds it (the content of PNG's eXIf chunk, too), or 0. Reads
/// only the entries of the first directory and follows no further offset, so it cannot loop.
int32_t idci_exif_orientation(const uint8_t *tiff, size_t count);

#endif

// Reading PNG row by row through libpng: a setjmp boundary, limits checked from IHDR before libpng sees the file,
// nothing ever printed. Every kind of PNG becomes 8-bit RGBX, transparency flattened on white.
//
// A file that ends before IEND is refused (IDC_PNG_TRUNCATED), as is a bad checksum in a critical chunk.

#ifndef IDC_CPNG_READER_H
#define IDC_CPNG_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The outcome of every call.
typedef enum {
    IDC_PNG_OK = 0,
    IDC_PNG_CORRUPT = 1,          ///< Not a PNG, or data that contradicts itself.
    IDC_PNG_TRUNCATED = 2,        ///< The bytes end before IEND.
    IDC_PNG_TOO_MANY_PIXELS = 3,  ///< `max_pixels`
    IDC_PNG_EDGE_TOO_LONG = 4,    ///< `max_edge`
    IDC_PNG_TOO_MUCH_MEMORY = 5,  ///< `max_memory_bytes`: an interlaced picture must be held as a whole.
    IDC_PNG_OUT_OF_MEMORY = 6,    ///< malloc failed.
    IDC_PNG_TOO_SLOW = 7,         ///< `max_milliseconds`
    IDC_PNG_STOPPED = 8,          ///< The caller's row function asked to stop.
    IDC_PNG_INTERNAL = 9,         ///< Wrong arguments.
} idc_png_status;

/// What one image may cost. Zero means no limit of this kind.
typedef struct {
    uint64_t max_pixels;        ///< Width times height as IHDR claims them.
    uint32_t max_edge;          ///< The longer of width and height, in pixels.
    uint64_t max_memory_bytes;  ///< What decoding may hold at once.
    uint32_t max_milliseconds;  ///< Wall time of one call.
} idc_png_limits;

/// What the chunks say.
typedef struct {
    uint32_t width;      ///< In pixels.
    uint32_t height;     ///< In pixels.
    uint8_t bit_depth;   ///< 1, 2, 4, 8 or 16.
    uint8_t colour_type; ///< As in IHDR.
    bool interlaced;     ///< Adam7.
    size_t exif_offset;  ///< Where the content of eXIf begins.
    size_t exif_count;   ///< Its size in bytes; 0 when there is none.
    bool has_icc;        ///< There is an iCCP chunk.
} idc_png_header;

/// Receives one row of RGBX pixels, top to bottom; returns false to stop.
typedef bool (*idc_png_row_function)(void *context, const uint8_t *row, uint32_t y);

/// Reads IHDR and walks the chunks, without libpng, and checks every limit.
idc_png_status idc_png_read_header(
    const uint8_t *bytes, size_t count, const idc_png_limits *limits, idc_png_header *header, char *message,
    size_t message_capacity);

/// Decodes and hands over one row after the other. Rows are complete pictures only after IDC_PNG_OK.
/// On success `*icc` is NULL or a profile allocated with malloc (freed by `idc_png_free`).
idc_png_status idc_png_read_rows(
    const uint8_t *bytes, size_t count, const idc_png_limits *limits, idc_png_row_function row, void *context,
    uint8_t **icc, size_t *icc_count, char *message, size_t message_capacity);

/// Gives back a profile.
void idc_png_free(uint8_t *bytes);

#ifdef __cplusplus
}
#endif

#endif

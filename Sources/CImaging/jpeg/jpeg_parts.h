// What the ways through libjpeg have in common. Each of these ends in `idci_jpeg_fail` when something is wrong.

#ifndef IDCI_JPEG_PARTS_H
#define IDCI_JPEG_PARTS_H

#include "jpeg_context.h"

// A buffer for encoded bytes that grows up to a ceiling.
typedef struct {
    struct jpeg_destination_mgr manager;  // First, so that libjpeg's pointer to it is a pointer to the whole.
    uint8_t *bytes;
    size_t capacity;
    size_t ceiling;  // 0: none
} idci_jpeg_destination;

// Runs `work` with a decoder of the bytes, behind the setjmp boundary.
idci_status idci_jpeg_with_decoder(
    const uint8_t *bytes, size_t count, const idci_limits *limits, char *message, size_t message_capacity,
    void (*work)(j_decompress_ptr, void *), void *job);

// Reads up to the first scan. Refuses arithmetic coding: its decoder makes up zeros where the data ends and reports
// nothing, so half a picture would pass as a whole one.
void idci_jpeg_read_frame(j_decompress_ptr jpeg);

// What libjpeg will hold while decoding at full size, in bytes; an estimate from the header.
uint64_t idci_jpeg_decode_memory(j_decompress_ptr jpeg);

// Lets the decoder read the caller's bytes, and fail (not pad) where they end.
void idci_jpeg_set_source(j_decompress_ptr jpeg, struct jpeg_source_mgr *source, const uint8_t *bytes, size_t count);

// Checks what the header claims, and bounds the decoder's memory.
void idci_jpeg_check_limits(j_decompress_ptr jpeg, const idci_limits *limits);

// Starts decoding; of a picture in several scans all are read first, counted and checked.
void idci_jpeg_start_output(j_decompress_ptr jpeg, const idci_limits *limits);

// Ends decoding: reads up to the end marker.
void idci_jpeg_finish_output(j_decompress_ptr jpeg);

// Lets the encoder write into an empty destination.
void idci_jpeg_set_destination(j_compress_ptr jpeg, idci_jpeg_destination *destination, size_t ceiling);

// Hands the encoded bytes over, or frees them when the call has failed.
idci_status idci_jpeg_take(
    const idci_jpeg_context *context, idci_jpeg_destination *destination, uint8_t **out, size_t *out_count);

// Sets an encoder up for planes or coefficients: 4:2:0, baseline.
void idci_jpeg_configure(j_compress_ptr jpeg, uint32_t width, uint32_t height, const idci_jpeg_encoding *encoding);

// Writes the colour profile, if there is one, after the headers.
void idci_jpeg_write_profile(j_compress_ptr jpeg, const idci_jpeg_encoding *encoding);

// Receives one row of pixels, top to bottom; returns false when there is no room for it.
typedef bool (*idci_row_function)(void *context, const uint8_t *row, uint32_t y);

// Decodes at `scale`/8 after the header was read and hands over one row of RGBX after the other.
void idci_jpeg_read_rows(
    j_decompress_ptr jpeg, const idci_limits *limits, uint32_t scale, idci_row_function row, void *context);

// Whether the picture whose header was read can stay coefficients: 4:2:0 in YCbCr, both edges multiples of 16, so that
// no block reaches beyond an edge and carries what was cut off there, and a single scan.
bool idci_jpeg_is_requantizable(j_decompress_ptr jpeg);

#endif

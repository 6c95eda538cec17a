// The shared parts of all calls into libjpeg. On an error each function calls `idci_jpeg_fail`.

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

// Reads up to the first scan. Refuses arithmetic coding: its decoder silently appends zeros to data that ends early, so
// half a picture would pass as a whole one.
void idci_jpeg_read_frame(j_decompress_ptr jpeg);

// Estimates from the header the memory that libjpeg uses while decoding at full size, in bytes.
uint64_t idci_jpeg_decode_memory(j_decompress_ptr jpeg);

// Sets the caller's bytes as the source; the decoder fails at their end instead of padding.
void idci_jpeg_set_source(j_decompress_ptr jpeg, struct jpeg_source_mgr *source, const uint8_t *bytes, size_t count);

// Checks the values of the header, and limits the decoder's memory.
void idci_jpeg_check_limits(j_decompress_ptr jpeg, const idci_limits *limits);

// Starts decoding; first reads, counts and checks the scans of a picture that has several.
void idci_jpeg_start_output(j_decompress_ptr jpeg, const idci_limits *limits);

// Finishes decoding: reads up to the end marker.
void idci_jpeg_finish_output(j_decompress_ptr jpeg);

// Sets an empty destination as the encoder's output.
void idci_jpeg_set_destination(j_compress_ptr jpeg, idci_jpeg_destination *destination, size_t ceiling);

// Transfers the encoded bytes to the caller, or frees them when the call has failed.
idci_status idci_jpeg_transfer(
    const idci_jpeg_context *context, idci_jpeg_destination *destination, uint8_t **out, size_t *out_count);

// Configures an encoder for planes or coefficients: 4:2:0, baseline.
void idci_jpeg_configure(j_compress_ptr jpeg, uint32_t width, uint32_t height, const idci_jpeg_encoding *encoding);

// Writes the colour profile, if there is one, after the headers.
void idci_jpeg_write_profile(j_compress_ptr jpeg, const idci_jpeg_encoding *encoding);

// Receives one row of pixels, top to bottom; returns false when the row does not fit.
typedef bool (*idci_row_function)(void *context, const uint8_t *row, uint32_t y);

// Decodes at `scale`/8 after the header was read and passes each row of RGBX to `row`.
void idci_jpeg_read_rows(
    j_decompress_ptr jpeg, const idci_limits *limits, uint32_t scale, idci_row_function row, void *context);

// Whether the picture whose header was read can be transcoded without pixels: 4:2:0 in YCbCr, a single scan, and both
// edges multiples of 16, so that no block holds samples beyond an edge.
bool idci_jpeg_is_requantizable(j_decompress_ptr jpeg);

#endif

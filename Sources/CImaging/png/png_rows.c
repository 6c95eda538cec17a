#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "idci_png.h"
#include "../call_limits.h"
#include "../planes/planes.h"

enum {
    CHANNELS = 4,
    MAX_CHUNKS = 128,                     // Ancillary chunks stored by libpng.
    MAX_CHUNK_BYTES = 4 * 1024 * 1024,    // One inflated text or profile.
    MAX_PROFILE_BYTES = 1024 * 1024,
    NEUTRAL_GAMMA = 45455,                // File gamma of sRGB in the unit of libpng (1/2.2 * 100000).
};

typedef struct {
    const uint8_t *bytes;
    size_t count;
    size_t at;
    jmp_buf escape;
    idci_status status;
    char *message;
    size_t message_capacity;
    int64_t deadline;
    idci_planes *planes;
    uint8_t *buffer;   // One row, or the whole picture when interlaced.
    png_bytepp rows;   // Pointers into `buffer` when interlaced.
    uint8_t *icc;
    size_t icc_count;
} reading;

static _Noreturn void stop(reading *job, idci_status status, const char *text) {
    job->status = status;
    idci_write_message(job->message, job->message_capacity, text);
    longjmp(job->escape, 1);
}

static void on_error(png_structp png, png_const_charp text) {
    bool memory = strstr(text, "memory") != NULL || strstr(text, "Memory") != NULL;
    stop(png_get_error_ptr(png), memory ? IDCI_OUT_OF_MEMORY : IDCI_CORRUPT, text);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;  // The handler of libpng would print to standard error.
    (void)text;
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    reading *job = png_get_io_ptr(png);
    if (count > job->count - job->at) stop(job, IDCI_TRUNCATED, "the data ends before the IEND chunk");
    memcpy(target, job->bytes + job->at, count);
    job->at += count;
}

static void check_deadline(reading *job) {
    if (idci_has_passed(job->deadline)) stop(job, IDCI_TOO_SLOW, "decoding took longer than allowed");
}

// Sets libpng to output 8-bit RGBA for every kind of file. Returns the number of passes.
static int request_rgba(png_structp png, png_infop info) {
    double gamma = 0;
    bool tagged = png_get_valid(png, info, PNG_INFO_sRGB) || png_get_valid(png, info, PNG_INFO_iCCP);
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    if (!tagged && png_get_gAMA(png, info, &gamma) != 0 && gamma > 0.01 && gamma < 10) {
        png_set_gamma(png, 1 / (NEUTRAL_GAMMA / 100000.0), gamma);
    }
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return passes;
}

static void copy_profile(reading *job, png_structp png, png_infop info) {
    png_charp name = NULL;
    png_bytep profile = NULL;
    png_uint_32 count = 0;
    int method = 0;
    if (png_get_iCCP(png, info, &name, &method, &profile, &count) == 0) return;
    if (count == 0 || count > MAX_PROFILE_BYTES) return;
    job->icc = malloc(count);
    if (job->icc == NULL) stop(job, IDCI_OUT_OF_MEMORY, "no memory for the colour profile");
    memcpy(job->icc, profile, count);
    job->icc_count = count;
}

static void flatten_on_white(uint8_t *row, uint32_t width) {
    for (uint32_t x = 0; x < width; x++, row += CHANNELS) {
        unsigned alpha = row[3];
        if (alpha == 255) continue;
        for (int i = 0; i < 3; i++) row[i] = (uint8_t)((row[i] * alpha + 255u * (255u - alpha) + 127u) / 255u);
        row[3] = 255;
    }
}

static void hand_over(reading *job, uint8_t *row, uint32_t width, uint32_t y) {
    check_deadline(job);
    flatten_on_white(row, width);
    idci_planes_push(job->planes, row, y);
}

static void read_whole(reading *job, png_structp png, uint32_t width, uint32_t height, int passes) {
    size_t row_bytes = (size_t)width * CHANNELS;
    job->rows = malloc(height * sizeof *job->rows);
    job->buffer = malloc(row_bytes * height);
    if (job->rows == NULL || job->buffer == NULL) stop(job, IDCI_OUT_OF_MEMORY, "no memory for the picture");
    for (uint32_t y = 0; y < height; y++) job->rows[y] = job->buffer + y * row_bytes;
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t y = 0; y < height; y++) {
            check_deadline(job);
            png_read_row(png, job->rows[y], NULL);
        }
    }
    png_read_end(png, NULL);
    for (uint32_t y = 0; y < height; y++) hand_over(job, job->rows[y], width, y);
}

static void read_streaming(reading *job, png_structp png, uint32_t width, uint32_t height) {
    job->buffer = malloc((size_t)width * CHANNELS);
    if (job->buffer == NULL) stop(job, IDCI_OUT_OF_MEMORY, "no memory for a row");
    for (uint32_t y = 0; y < height; y++) {
        png_read_row(png, job->buffer, NULL);
        hand_over(job, job->buffer, width, y);
    }
    png_read_end(png, NULL);
}

// Without this libpng inflates and stores text chunks: up to MAX_CHUNKS times MAX_CHUNK_BYTES, from a file of a few
// kilobytes.
static void ignore_what_is_not_the_picture(png_structp png) {
    static const png_byte ignored[] = "tEXt\0zTXt\0iTXt\0sPLT\0hIST\0eXIf\0tIME\0pCAL\0sCAL\0oFFs\0pHYs";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, ignored, (int)(sizeof ignored / 5));
    // Chunks that libpng does not know.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
}

static void run(reading *job, png_structp png, png_infop info) {
    png_set_read_fn(png, job, read_bytes);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // Checked from IHDR before.
    png_set_chunk_cache_max(png, MAX_CHUNKS);
    png_set_chunk_malloc_max(png, MAX_CHUNK_BYTES);
    ignore_what_is_not_the_picture(png);
    png_read_info(png, info);
    copy_profile(job, png, info);
    int passes = request_rgba(png, info);
    uint32_t width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    if (png_get_rowbytes(png, info) != (size_t)width * CHANNELS) {
        stop(job, IDCI_INTERNAL, "libpng chose another pixel layout");
    }
    if (!idci_planes_expect_rows(job->planes)) stop(job, IDCI_OUT_OF_MEMORY, "no memory for the planes");
    if (passes > 1) {
        read_whole(job, png, width, height, passes);
    } else {
        read_streaming(job, png, width, height);
    }
}

static void perform(reading *job) {
    // Volatile, because they are set between setjmp and longjmp.
    png_structp volatile png = NULL;
    png_infop volatile info = NULL;
    if (setjmp(job->escape) == 0) {
        png = png_create_read_struct(PNG_LIBPNG_VER_STRING, job, on_error, on_warning);
        info = png == NULL ? NULL : png_create_info_struct(png);
        if (info == NULL) stop(job, IDCI_OUT_OF_MEMORY, "no memory for libpng");
        run(job, png, info);
    }
    png_structp made = png;
    png_infop made_info = info;
    png_destroy_read_struct(&made, &made_info, NULL);
    free(job->buffer);
    free(job->rows);
}

idci_status idci_png_decode_planes(
    const uint8_t *bytes, size_t count, const idci_limits *limits, idci_planes *planes, uint8_t **icc,
    size_t *icc_count, char *message, size_t message_capacity
) {
    idci_header header;
    if (planes == NULL || icc == NULL || icc_count == NULL) return IDCI_INTERNAL;
    *icc = NULL;
    *icc_count = 0;
    idci_status checked = idci_png_read_header(bytes, count, limits, &header, message, message_capacity);
    if (checked != IDCI_OK) return checked;
    reading job = {
        .bytes = bytes, .count = count, .message = message, .message_capacity = message_capacity,
        .deadline = idci_deadline(limits == NULL ? 0 : limits->max_milliseconds), .planes = planes,
    };
    perform(&job);
    if (job.status != IDCI_OK) {
        free(job.icc);
        return job.status;
    }
    *icc = job.icc;
    *icc_count = job.icc_count;
    return IDCI_OK;
}

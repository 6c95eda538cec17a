#include "png_text.h"

#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#include <png.h>

#include "idci_image.h"

enum {
    CHUNK_OVERHEAD = 12,
    MAX_CHUNK_BYTES = 1024 * 1024,      // Inflated; a profile with a thumbnail takes 64 KiB, twice that in hexadecimal.
    MAX_EXIF_BYTES = 4096,              // Enough: the first directory is at the beginning.
};

// A synthetic file for libpng: signature and IHDR of one grey pixel, the one chunk, and the beginning of an IDAT chunk,
// where libpng stops reading. So libpng inflates only this text, within limits of its own. The IHDR of the picture
// would not do: it may require a palette first.
typedef struct {
    const uint8_t *chunk;
    size_t chunk_bytes, at;
    jmp_buf escape;
} excerpt;

static void on_error(png_structp png, png_const_charp text) {
    (void)text;
    excerpt *from = png_get_error_ptr(png);
    longjmp(from->escape, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png, (void)text;
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    static const uint8_t start[] = {
        0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0,
        0x3A, 0x7E, 0x9B, 0x55,
    };
    static const uint8_t end[] = {0, 0, 0, 0, 'I', 'D', 'A', 'T'};
    excerpt *from = png_get_io_ptr(png);
    for (size_t i = 0; i < count; i++, from->at++) {
        size_t at = from->at;
        if (at < sizeof start) {
            target[i] = start[at];
        } else if (at < sizeof start + from->chunk_bytes) {
            target[i] = from->chunk[at - sizeof start];
        } else if (at < sizeof start + from->chunk_bytes + sizeof end) {
            target[i] = end[at - sizeof start - from->chunk_bytes];
        } else {
            png_error(png, "no more");
        }
    }
}

static int value_of(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

// Parses a line with a name, a line with the number of bytes, then their hexadecimal digits in lines of any length.
static int32_t orientation_in(const char *text, size_t count) {
    uint8_t exif[MAX_EXIF_BYTES];
    size_t at = 0, digits = 0;
    while (at < count && text[at] == '\n') at++;
    for (int lines = 0; lines < 2; lines++) {
        while (at < count && text[at] != '\n') at++;
        if (at < count) at++;
    }
    for (; at < count && digits < 2 * (size_t)MAX_EXIF_BYTES; at++) {
        int value = value_of(text[at]);
        if (value < 0) continue;
        exif[digits / 2] = (uint8_t)(digits % 2 == 0 ? value << 4 : exif[digits / 2] | value);
        digits++;
    }
    size_t bytes = digits / 2;
    bool is_prefixed = bytes >= 6 && memcmp(exif, "Exif\0\0", 6) == 0;
    return is_prefixed ? idci_exif_orientation(exif + 6, bytes - 6) : idci_exif_orientation(exif, bytes);
}

static int32_t read_text(excerpt *from, png_structp png, png_infop info) {
    png_textp texts = NULL;
    if (setjmp(from->escape) != 0) return 0;
    png_set_read_fn(png, from, read_bytes);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png, MAX_CHUNK_BYTES);
    png_read_info(png, info);
    if (png_get_text(png, info, &texts, NULL) != 1) return 0;
    return orientation_in(texts[0].text, texts[0].itxt_length > 0 ? texts[0].itxt_length : texts[0].text_length);
}

static bool is_named(const uint8_t *chunk, size_t chunk_bytes, const char *name) {
    size_t length = strlen(name) + 1;
    return chunk_bytes >= CHUNK_OVERHEAD + length && memcmp(chunk + 8, name, length) == 0;
}

int32_t idci_png_text_orientation(const uint8_t *chunk, size_t chunk_bytes) {
    static const char *const types[] = {"tEXt", "zTXt", "iTXt"};
    bool is_text = false;
    for (int i = 0; i < 3; i++) is_text |= memcmp(chunk + 4, types[i], 4) == 0;
    bool is_profile = is_named(chunk, chunk_bytes, "Raw profile type exif")
        || is_named(chunk, chunk_bytes, "Raw profile type APP1");
    if (!is_text || !is_profile) return -1;
    excerpt from = {.chunk = chunk, .chunk_bytes = chunk_bytes};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &from, on_error, on_warning);
    png_infop info = png == NULL ? NULL : png_create_info_struct(png);
    int32_t orientation = info == NULL ? 0 : read_text(&from, png, info);
    png_destroy_read_struct(&png, &info, NULL);
    return orientation;
}

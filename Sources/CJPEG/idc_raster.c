#define _GNU_SOURCE
#include "idc_raster.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int clamp_byte(double value) {
    if (value <= 0) return 0;
    if (value >= 255) return 255;
    return (int)(value + 0.5);
}

void idc_raster_reduce(const uint8_t *source, size_t width, size_t height, size_t channels, uint8_t *target,
                       size_t target_width, size_t target_height) {
    for (size_t ty = 0; ty < target_height; ty++) {
        size_t top = ty * height / target_height;
        size_t bottom = (ty + 1) * height / target_height;
        if (bottom <= top) bottom = top + 1;
        for (size_t tx = 0; tx < target_width; tx++) {
            size_t left = tx * width / target_width;
            size_t right = (tx + 1) * width / target_width;
            if (right <= left) right = left + 1;
            uint32_t sums[3] = {0, 0, 0};
            for (size_t y = top; y < bottom; y++) {
                const uint8_t *pixel = source + (y * width + left) * channels;
                for (size_t x = left; x < right; x++, pixel += channels)
                    for (size_t c = 0; c < channels; c++) sums[c] += pixel[c];
            }
            uint32_t count = (uint32_t)((bottom - top) * (right - left));
            for (size_t c = 0; c < channels; c++)
                target[(ty * target_width + tx) * channels + c] = (uint8_t)((sums[c] + count / 2) / count);
        }
    }
}

void idc_raster_warp(const uint8_t *source, size_t width, size_t height, size_t channels, const double map[9],
                     uint8_t *target, size_t target_width, size_t target_height) {
    const double last_x = (double)width - 1, last_y = (double)height - 1;
    for (size_t ty = 0; ty < target_height; ty++) {
        double v = (double)ty + 0.5;
        uint8_t *out = target + ty * target_width * channels;
        for (size_t tx = 0; tx < target_width; tx++, out += channels) {
            double u = (double)tx + 0.5;
            double w = map[6] * u + map[7] * v + map[8];
            double x = (map[0] * u + map[1] * v + map[2]) / w - 0.5;
            double y = (map[3] * u + map[4] * v + map[5]) / w - 0.5;
            /* The comparisons are written so that a NaN ends at 0. */
            if (!(x > 0)) x = 0;
            if (x > last_x) x = last_x;
            if (!(y > 0)) y = 0;
            if (y > last_y) y = last_y;
            size_t x0 = (size_t)x, y0 = (size_t)y;
            size_t x1 = x0 + 1 < width ? x0 + 1 : x0, y1 = y0 + 1 < height ? y0 + 1 : y0;
            int fx = (int)((x - (double)x0) * 256), fy = (int)((y - (double)y0) * 256);
            const uint8_t *a = source + (y0 * width + x0) * channels, *b = source + (y0 * width + x1) * channels;
            const uint8_t *c = source + (y1 * width + x0) * channels, *d = source + (y1 * width + x1) * channels;
            for (size_t k = 0; k < channels; k++) {
                int upper = a[k] * (256 - fx) + b[k] * fx;
                int lower = c[k] * (256 - fx) + d[k] * fx;
                out[k] = (uint8_t)((upper * (256 - fy) + lower * fy + 32768) >> 16);
            }
        }
    }
}

void idc_raster_to_grey(const uint8_t *rgb, size_t count, int kind, uint8_t *grey) {
    for (size_t i = 0; i < count; i++, rgb += 3) {
        int r = rgb[0], g = rgb[1], b = rgb[2];
        if (kind == IDC_RASTER_MAX) {
            int most = r > g ? r : g;
            grey[i] = (uint8_t)(most > b ? most : b);
        } else if (kind == IDC_RASTER_RED) {
            grey[i] = (uint8_t)r;
        } else {
            grey[i] = (uint8_t)((r * 77 + g * 150 + b * 29 + 128) >> 8);
        }
    }
}

/* A summed-area table with one row and column of zeros in front; the caller frees it. */
static uint32_t *summed_area(const uint8_t *grey, size_t width, size_t height) {
    size_t stride = width + 1;
    uint32_t *table = calloc(stride * (height + 1), sizeof *table);
    if (table == NULL) return NULL;
    for (size_t y = 0; y < height; y++) {
        uint32_t row = 0;
        const uint8_t *in = grey + y * width;
        const uint32_t *above = table + y * stride;
        uint32_t *here = table + (y + 1) * stride;
        for (size_t x = 0; x < width; x++) {
            row += in[x];
            here[x + 1] = above[x + 1] + row;
        }
    }
    return table;
}

static double local_mean(const uint32_t *table, size_t width, size_t height, size_t x, size_t y, size_t radius) {
    size_t left = x > radius ? x - radius : 0, right = x + radius + 1 < width ? x + radius + 1 : width;
    size_t top = y > radius ? y - radius : 0, bottom = y + radius + 1 < height ? y + radius + 1 : height;
    size_t stride = width + 1;
    uint32_t sum = table[bottom * stride + right] - table[bottom * stride + left] - table[top * stride + right]
        + table[top * stride + left];
    return (double)sum / (double)((right - left) * (bottom - top));
}

int idc_raster_flatten(const uint8_t *grey, size_t width, size_t height, size_t radius, int level, uint8_t *target) {
    uint32_t *table = summed_area(grey, width, height);
    if (table == NULL) return -1;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            double mean = local_mean(table, width, height, x, y, radius);
            target[y * width + x] = (uint8_t)clamp_byte(grey[y * width + x] * (double)level / (mean < 1 ? 1 : mean));
        }
    free(table);
    return 0;
}

void idc_raster_stretch(const uint8_t *grey, size_t count, int low, int high, uint8_t *target) {
    double gain = 255.0 / (high > low ? high - low : 1);
    for (size_t i = 0; i < count; i++) target[i] = (uint8_t)clamp_byte((grey[i] - low) * gain);
}

int idc_raster_blur(const uint8_t *grey, size_t width, size_t height, double sigma, uint8_t *target) {
    enum { LARGEST = 24 };
    float weights[LARGEST + 1];
    int radius = (int)ceil(3 * (sigma < 8 ? sigma : 8));
    float *rows = malloc(width * height * sizeof *rows);
    if (rows == NULL) return -1;
    double total = 0;
    for (int i = 0; i <= radius; i++) {
        double weight = sigma > 0 ? exp(-0.5 * i * i / (sigma * sigma)) : (i == 0);
        weights[i] = (float)weight;
        total += i == 0 ? weight : 2 * weight;
    }
    for (int i = 0; i <= radius; i++) weights[i] = (float)(weights[i] / total);
    long last_x = (long)width - 1, last_y = (long)height - 1;
    for (long y = 0; y <= last_y; y++)
        for (long x = 0; x <= last_x; x++) {
            float sum = 0;
            for (long i = -radius; i <= radius; i++) {
                long at = x + i < 0 ? 0 : x + i > last_x ? last_x : x + i;
                sum += weights[labs(i)] * grey[(size_t)(y * (long)width + at)];
            }
            rows[(size_t)(y * (long)width + x)] = sum;
        }
    for (long y = 0; y <= last_y; y++)
        for (long x = 0; x <= last_x; x++) {
            float sum = 0;
            for (long i = -radius; i <= radius; i++) {
                long at = y + i < 0 ? 0 : y + i > last_y ? last_y : y + i;
                sum += weights[labs(i)] * rows[(size_t)(at * (long)width + x)];
            }
            target[(size_t)(y * (long)width + x)] = (uint8_t)clamp_byte(sum);
        }
    free(rows);
    return 0;
}

/* The Sobel gradient of the colour in which it is strongest. */
static int gradient(const uint8_t *rgb, size_t width, size_t x, size_t y, int *gx, int *gy) {
    const uint8_t *above = rgb + ((y - 1) * width + x) * 3;
    const uint8_t *here = rgb + (y * width + x) * 3;
    const uint8_t *below = rgb + ((y + 1) * width + x) * 3;
    int best = -1;
    for (int c = 0; c < 3; c++) {
        int dx = above[c + 3] - above[c - 3] + 2 * (here[c + 3] - here[c - 3]) + below[c + 3] - below[c - 3];
        int dy = below[c - 3] + 2 * below[c] + below[c + 3] - above[c - 3] - 2 * above[c] - above[c + 3];
        int size = abs(dx) + abs(dy);
        if (size > best) {
            best = size;
            *gx = dx;
            *gy = dy;
        }
    }
    return best;
}

int idc_raster_edges(const uint8_t *rgb, size_t width, size_t height, int threshold, uint8_t *target) {
    memset(target, 0, width * height);
    if (width < 5 || height < 5) return 0;
    uint16_t *strength = calloc(width * height, sizeof *strength);
    int16_t *vectors = calloc(width * height * 2, sizeof *vectors);
    if (strength == NULL || vectors == NULL) {
        free(strength);
        free(vectors);
        return -1;
    }
    for (size_t y = 1; y + 1 < height; y++)
        for (size_t x = 1; x + 1 < width; x++) {
            int gx = 0, gy = 0;
            size_t at = y * width + x;
            strength[at] = (uint16_t)gradient(rgb, width, x, y, &gx, &gy);
            vectors[2 * at] = (int16_t)gx;
            vectors[2 * at + 1] = (int16_t)gy;
        }
    for (size_t y = 2; y + 2 < height; y++)
        for (size_t x = 2; x + 2 < width; x++) {
            size_t at = y * width + x;
            int size = strength[at];
            if (size < threshold) continue;
            int gx = vectors[2 * at], gy = vectors[2 * at + 1];
            /* Only the crest of a slope is an edge: compare with both neighbours along the gradient. */
            long step = abs(gx) > 2 * abs(gy)       ? 1
                        : abs(gy) > 2 * abs(gx)     ? (long)width
                        : (gx > 0) == (gy > 0)      ? (long)width + 1
                                                    : (long)width - 1;
            if (size < strength[(long)at - step] || size <= strength[(long)at + step]) continue;
            double turn = atan2((double)gy, (double)gx) / (2 * M_PI);
            if (turn < 0) turn += 1;
            target[at] = (uint8_t)(1 + ((int)(turn * 240 + 0.5) % 240));
        }
    free(strength);
    free(vectors);
    return 0;
}

void idc_raster_vote(const uint8_t *edges, size_t width, size_t height, int upright, double max_degrees,
                     size_t angle_count, uint16_t *votes) {
    const size_t extent = upright ? width : height;
    const double middle = (upright ? (double)height : (double)width) / 2;
    const double step = 2 * max_degrees / (double)(angle_count - 1);
    const double spread = 5;
    memset(votes, 0, angle_count * 2 * extent * sizeof *votes);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            uint8_t mark = edges[y * width + x];
            if (mark == 0) continue;
            /* A line's angle is that of its gradient, measured from the u axis; which side is bright is no matter. */
            double degrees = (mark - 1) * 1.5;
            double lean = upright ? -degrees : degrees - 90;
            lean = fmod(lean + 540 + 90, 180) - 90;
            if (lean < -max_degrees - spread || lean > max_degrees + spread) continue;
            double u = upright ? (double)x : (double)y, v = (upright ? (double)y : (double)x) - middle;
            double first = ceil((lean - spread + max_degrees) / step);
            double last = floor((lean + spread + max_degrees) / step);
            if (first < 0) first = 0;
            if (last > (double)(angle_count - 1)) last = (double)(angle_count - 1);
            for (size_t a = (size_t)first; (double)a <= last; a++) {
                double slope = tan(((double)a * step - max_degrees) * M_PI / 180);
                double offset = u - slope * v + (double)extent / 2;
                if (offset < 0 || offset >= (double)(2 * extent)) continue;
                uint16_t *counter = votes + a * 2 * extent + (size_t)offset;
                if (*counter < UINT16_MAX) *counter += 1;
            }
        }
}

void idc_raster_most_voted(const uint16_t *votes, size_t count, size_t *index, uint16_t *value) {
    *index = 0;
    *value = 0;
    for (size_t i = 0; i < count; i++)
        if (votes[i] > *value) {
            *value = votes[i];
            *index = i;
        }
}

double idc_raster_edge_support(const uint8_t *edges, size_t width, size_t height, double x0, double y0, double x1,
                               double y1, int reach) {
    double dx = x1 - x0, dy = y1 - y0, length = sqrt(dx * dx + dy * dy);
    if (!(length > 4)) return 0;
    double nx = -dy / length, ny = dx / length;
    double turn = atan2(ny, nx) / (2 * M_PI) * 240;
    int count = (int)(length / 2), alike = 0, opposite = 0;
    for (int i = 0; i < count; i++) {
        double t = (i + 0.5) / count;
        int found_alike = 0, found_opposite = 0;
        for (int r = -reach; r <= reach; r++) {
            double x = x0 + t * dx + r * nx, y = y0 + t * dy + r * ny;
            if (!(x >= 0) || !(y >= 0) || x >= (double)width || y >= (double)height) continue;
            uint8_t mark = edges[(size_t)y * width + (size_t)x];
            if (mark == 0) continue;
            double difference = fmod(mark - 1 - turn + 720, 240);
            if (difference <= 8 || difference >= 232) found_alike = 1;
            if (difference >= 112 && difference <= 128) found_opposite = 1;
        }
        alike += found_alike;
        opposite += found_opposite;
    }
    return (double)(alike > opposite ? alike : opposite) / count;
}

void idc_raster_ink_profile(const uint8_t *grey, size_t width, size_t height, int threshold, int direction,
                            uint32_t *profile) {
    memset(profile, 0, (direction ? width : height) * sizeof *profile);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            if (grey[y * width + x] < threshold) profile[direction ? x : y] += 1;
}

double idc_raster_chroma(const uint8_t *rgb, size_t count) {
    if (count == 0) return 0;
    double sums[3] = {1, 1, 1};
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < 3; c++) sums[c] += rgb[3 * i + c];
    double mean = (sums[0] + sums[1] + sums[2]) / 3;
    double chroma = 0;
    for (size_t i = 0; i < count; i++) {
        double most = 0, least = INFINITY;
        for (size_t c = 0; c < 3; c++) {
            double value = rgb[3 * i + c] * mean / sums[c];
            if (value > most) most = value;
            if (value < least) least = value;
        }
        chroma += most - least;
    }
    return chroma / (double)count;
}

int idc_raster_repetition(const uint8_t *grey, size_t width, size_t height, int direction, int limit, size_t max_shift,
                          double *correlation) {
    uint32_t *table = summed_area(grey, width, height);
    int16_t *detail = calloc(width * height, sizeof *detail);
    if (table == NULL || detail == NULL) {
        free(table);
        free(detail);
        return -1;
    }
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            double value = grey[y * width + x] - local_mean(table, width, height, x, y, 4);
            if (value > limit) value = limit;
            if (value < -limit) value = -limit;
            detail[y * width + x] = (int16_t)(value * 16);
        }
    free(table);
    size_t columns = direction ? width : width > max_shift ? width - max_shift : 0;
    size_t rows = direction ? (height > max_shift ? height - max_shift : 0) : height;
    for (size_t shift = 0; shift <= max_shift; shift++) {
        double products = 0, power = 0;
        size_t step = direction ? shift * width : shift;
        for (size_t y = 0; y < rows; y += 2)
            for (size_t x = 0; x < columns; x++) {
                const int16_t *at = detail + y * width + x;
                products += (double)at[0] * at[step];
                power += (double)at[0] * at[0];
            }
        correlation[shift] = power > 0 ? products / power : 0;
    }
    free(detail);
    return 0;
}

static int write_all(int file, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    while (count > 0) {
        ssize_t written = write(file, next, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return -1;
        next += written;
        count -= (size_t)written;
    }
    return 0;
}

int idc_raster_pgm_in_memory(const uint8_t *grey, size_t width, size_t height) {
    int file = memfd_create("picture", MFD_CLOEXEC);
    if (file < 0) return -1;
    char header[64];
    int length = snprintf(header, sizeof header, "P5\n%zu %zu\n255\n", width, height);
    if (write_all(file, header, (size_t)length) == 0 && write_all(file, grey, width * height) == 0
        && lseek(file, 0, SEEK_SET) == 0)
        return file;
    int reason = errno;
    close(file);
    errno = reason;
    return -1;
}

/*
 * Loops over pixels for the embedded verifier: reducing, finding edges and straight lines, undoing perspective,
 * evening out the light, and statistics of colour. They are in C because the tests run unoptimised Swift.
 *
 * Rasters are packed rows of 8-bit samples without padding; `channels` is 1 (grey) or 3 (RGB). No function allocates
 * more than a few tables of the raster's size, and none keeps a pointer.
 */
#ifndef IDC_RASTER_H
#define IDC_RASTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Averages every block of the source that falls on one target pixel. The target must not be larger than the source. */
void idc_raster_reduce(const uint8_t *source, size_t width, size_t height, size_t channels, uint8_t *target,
                       size_t target_width, size_t target_height);

/*
 * Fills the target by sampling the source between its pixels. `map` is a row-major 3 x 3 matrix from target to source
 * coordinates (pixel centres at .5). Points outside the source take its nearest edge pixel.
 */
void idc_raster_warp(const uint8_t *source, size_t width, size_t height, size_t channels, const double map[9],
                     uint8_t *target, size_t target_width, size_t target_height);

/* How one grey value is made of three colours. */
enum idc_raster_grey {
    IDC_RASTER_LUMA = 0, /* Rec. 601 weights. */
    IDC_RASTER_MAX = 1,  /* The brightest colour: black ink stays dark, coloured print fades. */
    IDC_RASTER_RED = 2   /* Blue print turns dark, red print fades. */
};

/* Converts `count` RGB pixels to grey. */
void idc_raster_to_grey(const uint8_t *rgb, size_t count, int kind, uint8_t *grey);

/*
 * Evens out light and shadow: every pixel is divided by the mean of the square of side 2 * radius + 1 around it, then
 * stretched so that this mean becomes `level`. Returns 0, or -1 when memory is short (the target is then untouched).
 */
int idc_raster_flatten(const uint8_t *grey, size_t width, size_t height, size_t radius, int level, uint8_t *target);

/* Stretches greys so that `low` becomes black and `high` white. */
void idc_raster_stretch(const uint8_t *grey, size_t count, int low, int high, uint8_t *target);

/* Blurs with a Gaussian of standard deviation `sigma` pixels (at most 8). Returns 0, or -1 when memory is short. */
int idc_raster_blur(const uint8_t *grey, size_t width, size_t height, double sigma, uint8_t *target);

/*
 * Marks thin edges of an RGB raster. A target pixel is 0 where there is no edge, else 1 + the direction of the
 * steepest rise in steps of 360/240 degree. `threshold` is the least gradient (Sobel, strongest colour, 0...1020).
 */
int idc_raster_edges(const uint8_t *rgb, size_t width, size_t height, int threshold, uint8_t *target);

/*
 * Counts votes of edge pixels for straight lines u = offset + tan(angle) * (v - v0). For `upright` = 0 the lines are
 * near-horizontal (u = y, v = x), else near-vertical (u = x, v = y); v0 is the middle of the raster. Angles run from
 * -max_degrees in `angle_count` equal steps to +max_degrees; offsets run in whole pixels from -extent/2, where extent
 * is the raster's size along u; there are 2 * extent of them. `votes` has angle_count rows of 2 * extent counters,
 * and is zeroed first.
 */
void idc_raster_vote(const uint8_t *edges, size_t width, size_t height, int upright, double max_degrees,
                     size_t angle_count, uint16_t *votes);

/* Finds the first of the highest counters. */
void idc_raster_most_voted(const uint16_t *votes, size_t count, size_t *index, uint16_t *value);

/*
 * Returns the share (0...1) of points between two ends that lie within `reach` pixels of an edge running the same
 * way. Only edges with the same side bright are counted together; the better of the two sides is returned.
 */
double idc_raster_edge_support(const uint8_t *edges, size_t width, size_t height, double x0, double y0, double x1,
                               double y1, int reach);

/*
 * Counts the pixels darker than `threshold` in every row (direction 0, `height` counters) or column (direction 1,
 * `width` counters).
 */
void idc_raster_ink_profile(const uint8_t *grey, size_t width, size_t height, int threshold, int direction,
                            uint32_t *profile);

/*
 * Returns how colourful `count` RGB pixels are: the mean of (largest - smallest colour), 0...255. The three colours are
 * first scaled to the same mean, so that grey paper under yellow light counts as grey.
 */
double idc_raster_chroma(const uint8_t *rgb, size_t count);

/*
 * Measures how strongly a grey raster repeats itself with a short period, as a photographed screen does. The raster's
 * fine detail is taken (pixel minus local mean, limited to `limit` so that print does not count) and correlated with
 * itself at each shift 2...max_shift along rows (direction 0) or columns (direction 1). `correlation` receives
 * max_shift + 1 values, -1...1, index = shift.
 */
int idc_raster_repetition(const uint8_t *grey, size_t width, size_t height, int direction, int limit, size_t max_shift,
                          double *correlation);

/*
 * Writes a grey raster as a binary PGM ("P5", Netpbm) into a nameless file in memory (memfd_create, Linux 3.17).
 * Returns a descriptor placed at the file's start, which the caller closes, or -1 with errno set.
 */
int idc_raster_pgm_in_memory(const uint8_t *grey, size_t width, size_t height);

#ifdef __cplusplus
}
#endif

#endif

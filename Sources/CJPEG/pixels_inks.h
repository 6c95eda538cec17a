#ifndef IDC_PIXELS_INKS_H
#define IDC_PIXELS_INKS_H

#include "CJPEG.h"

// Converts a row of CMYK as libjpeg gives it. `light` is true when the stored values are Adobe's: 255 means no ink.
void idc_pixels_from_inks(const uint8_t *inks, uint32_t width, bool light, idc_jpeg_layout layout, uint8_t *out);

#endif

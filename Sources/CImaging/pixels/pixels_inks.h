#ifndef IDCI_PIXELS_INKS_H
#define IDCI_PIXELS_INKS_H

#include "idci_jpeg.h"

// Converts a row of CMYK as libjpeg gives it. `light` is true when the stored values are Adobe's: 255 means no ink.
void idci_pixels_from_inks(const uint8_t *inks, uint32_t width, bool light, idci_jpeg_layout layout, uint8_t *out);

#endif

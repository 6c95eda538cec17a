#include <string.h>

#include "pixels_inks.h"

static uint8_t multiply(unsigned a, unsigned b) {
    return (uint8_t)((a * b + 127) / 255);
}

void idci_pixels_from_inks(const uint8_t *inks, uint32_t width, bool light, idci_jpeg_layout layout, uint8_t *out) {
    for (uint32_t x = 0; x < width; x++, inks += 4, out += layout) {
        uint8_t rgb[3];
        unsigned black = light ? inks[3] : 255u - inks[3];
        for (int i = 0; i < 3; i++) rgb[i] = multiply(light ? inks[i] : 255u - inks[i], black);
        if (layout == IDCI_JPEG_GREY) {
            out[0] = (uint8_t)((rgb[0] * 299u + rgb[1] * 587u + rgb[2] * 114u + 500u) / 1000u);
            continue;
        }
        memcpy(out, rgb, 3);
        if (layout == IDCI_JPEG_RGBX) out[3] = 255;
    }
}

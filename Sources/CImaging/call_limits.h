// Memory and time limits of one decoding call, and its message.

#ifndef IDCI_CALL_LIMITS_H
#define IDCI_CALL_LIMITS_H

#include <stdio.h>
#include <time.h>

#include "idci_image.h"

// Writes a text into the caller's buffer, if there is one.
static inline void idci_write_message(char *message, size_t capacity, const char *text) {
    if (message != NULL && capacity > 0) snprintf(message, capacity, "%s", text);
}

// Returns the time after the given milliseconds, by a clock that cannot be set; 0 for no deadline.
static inline int64_t idci_deadline(uint32_t milliseconds) {
    struct timespec now;
    if (milliseconds == 0 || clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + milliseconds;
}

// Whether a deadline has passed; `idci_deadline(1) - 1` is the present time.
static inline int idci_has_passed(int64_t deadline) {
    return deadline != 0 && idci_deadline(1) - 1 > deadline;
}

// Returns an error if the sizes in a header exceed a limit.
static inline idci_status idci_check_size(
    const idci_limits *limits, uint32_t width, uint32_t height, uint64_t decode_memory
) {
    if (limits == NULL) return IDCI_OK;
    if (limits->max_edge > 0 && (width > limits->max_edge || height > limits->max_edge)) return IDCI_EDGE_TOO_LONG;
    if (limits->max_pixels > 0 && (uint64_t)width * height > limits->max_pixels) return IDCI_TOO_MANY_PIXELS;
    if (limits->max_memory_bytes > 0 && decode_memory > limits->max_memory_bytes) return IDCI_TOO_MUCH_MEMORY;
    return IDCI_OK;
}

#endif

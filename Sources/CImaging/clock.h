// The time that a call may take.

#ifndef IDCI_CLOCK_H
#define IDCI_CLOCK_H

#include <stdint.h>
#include <time.h>

// When so many milliseconds will have passed, by a clock that nobody sets; 0 for never.
static inline int64_t idci_deadline(uint32_t milliseconds) {
    struct timespec now;
    if (milliseconds == 0 || clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + milliseconds;
}

static inline int idci_is_over(int64_t deadline) {
    return deadline != 0 && idci_deadline(1) - 1 > deadline;
}

#endif

/* Moves the wall clock of one process by LD_PRELOAD, by PROOF_CLOCK_OFFSET seconds, or by as many as the 8 bytes of the file
 * PROOF_CLOCK_FILE say at the time; the monotonic clocks stay as they are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static int64_t fixed;
static const volatile int64_t *offset = &fixed;

__attribute__((constructor)) static void begin(void) {
    const char *seconds = getenv("PROOF_CLOCK_OFFSET");
    if (seconds != NULL) fixed = strtoll(seconds, NULL, 10);
    const char *path = getenv("PROOF_CLOCK_FILE");
    if (path == NULL) return;
    // Opened for good: a process that confines itself later still reads it.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    void *memory = descriptor < 0 ? MAP_FAILED : mmap(NULL, sizeof(fixed), PROT_READ, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) abort();
    offset = memory;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (real == NULL) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, time);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI)) time->tv_sec += *offset;
    return status;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place != NULL) *place = now.tv_sec;
    return now.tv_sec;
}

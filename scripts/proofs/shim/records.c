/* Hands every record of a folder out at the end of a page, by LD_PRELOAD: whoever reads past its name reads no memory.
 *
 * PROOF_RECORDS_MARK  a file that is made with the first record: whoever preloads this knows that it was at work
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

struct dirent *readdir(DIR *folder) {
    static struct dirent *(*real)(DIR *);
    /* A block for each record: its caller may keep it until the next call, on whichever thread that comes. */
    if (real == NULL) real = (struct dirent *(*)(DIR *))dlsym(RTLD_NEXT, "readdir");
    struct dirent *record = real(folder);
    if (record == NULL) return NULL;
    char *block = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* A record as it came would prove nothing. */
    if (block == MAP_FAILED || mprotect(block + PAGE, PAGE, PROT_NONE) != 0) abort();
    size_t size = offsetof(struct dirent, d_name) + strlen(record->d_name) + 1;
    record = memcpy(block + PAGE - size, record, size);
    close(open(getenv("PROOF_RECORDS_MARK"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    return record;
}

/* Fault injection by LD_PRELOAD: one counter over all threads for every call that writes or sends.
 *
 * PROOF_SHIM_MODE    "count"  counts only
 *                    "kill"   ends the process with SIGKILL immediately before call number PROOF_SHIM_AT
 *                    "fail"   makes call number PROOF_SHIM_AT fail, and with PROOF_SHIM_STICKY=1 every later one
 * PROOF_SHIM_ERRNO   the error of "fail": EIO, ENOSPC or EDQUOT
 * PROOF_SHIM_ONLY    the one kind of call that counts, such as "unlink"
 * PROOF_SHIM_BELOW   folders, separated by colons: only calls on what lies below them count
 * PROOF_SHIM_REPORT  file for one line per kind of call at the end: "name count"
 * PROOF_SHIM_TRACE   file for one line per path that was opened for writing, made, linked or renamed
 * PROOF_SHIM_CHILDREN=1 leaves the shim on in child processes
 *
 * Calls that libc makes within itself (stdio, eventfd_write) do not pass here; nor do stores into mapped memory. Locks are
 * left alone: they fail on network file systems only, where a sandbox must not lie. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
    K_WRITE, K_PWRITE, K_WRITEV, K_PWRITEV, K_FSYNC, K_FDATASYNC, K_FTRUNCATE, K_TRUNCATE, K_RENAME, K_UNLINK, K_RMDIR,
    K_LINK, K_SYMLINK, K_MKDIR, K_OPEN_CREATE, K_OPEN, K_FALLOCATE, K_FCHMOD, K_READ, K_PREAD, K_MMAP,
    K_SEND, K_SENDTO, K_SENDMSG, K_SENDMMSG, K_SENDFILE, K_KINDS
};
static const char *const names[K_KINDS] = {
    "write", "pwrite", "writev", "pwritev", "fsync", "fdatasync", "ftruncate", "truncate", "rename", "unlink", "rmdir",
    "link", "symlink", "mkdir", "open(create)", "open", "fallocate", "fchmod", "read", "pread", "mmap",
    "send", "sendto", "sendmsg", "sendmmsg", "sendfile",
};

enum mode { M_OFF, M_COUNT, M_KILL, M_FAIL };
static enum mode mode = M_OFF;
static atomic_long counter;
static atomic_long counts[K_KINDS];
static long target = -1;
static int sticky, failure = EIO, trace = -1;
static const char *only, *below;
static pid_t owner;

/* The function of libc behind the one of the same name here. */
#define REAL(name) ({                                                   \
        static _Atomic(void *) found;                                   \
        if (found == NULL) found = dlsym(RTLD_NEXT, #name);             \
        (__typeof__(&name))(void *)found;                               \
    })

/* The absolute path of what a call names: a path, or with an empty one a descriptor. Symbolic links in it stay. */
typedef char location[2 * PATH_MAX];
static void locate(int folder, const char *path, location found) {
    char link[64] = "/proc/self/cwd";
    ssize_t length = 0;
    if (path == NULL) path = "";
    if (folder != AT_FDCWD) snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    if (path[0] != '/') length = syscall(SYS_readlinkat, AT_FDCWD, link, found, PATH_MAX);
    if (length < 0) length = 0;
    snprintf(found + length, PATH_MAX, "%s%s", length > 0 && path[0] != 0 ? "/" : "", path);
}

static int is_below(int folder, const char *path) {
    if (below == NULL) return 1;
    location found;
    locate(folder, path, found);
    for (const char *each = below; *each != 0; each += *each == ':') {
        size_t length = strcspn(each, ":");
        if (strncmp(found, each, length) == 0 && (found[length] == 0 || found[length] == '/')) return 1;
        each += length;
    }
    return 0;
}

static void note(int folder, const char *what, const char *path) {
    if (trace < 0) return;
    location found;
    char line[sizeof found + 32];
    locate(folder, path, found);
    int size = snprintf(line, sizeof line, "%s %s\n", what, found);
    syscall(SYS_write, trace, line, (size_t)size);
}

/* Adds to the report, by calls that are not counted. */
static void tell(const char *text) {
    const char *report = getenv("PROOF_SHIM_REPORT");
    long fd = report ? syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (fd < 0) return;
    syscall(SYS_write, fd, text, strlen(text));
    syscall(SYS_close, fd);
}

/* Whether the call is to fail; kills the process at the point asked for. */
static int strike(enum kind kind, int folder, const char *path) {
    if (mode == M_OFF) return 0;
    int is_read = kind == K_READ || kind == K_PREAD || kind == K_OPEN || kind == K_MMAP;
    if (is_read && (mode != M_FAIL || failure != EIO)) return 0;
    if ((only != NULL && strcmp(only, names[kind]) != 0) || !is_below(folder, path)) return 0;
    long number = atomic_fetch_add(&counter, 1) + 1;
    atomic_fetch_add(&counts[kind], 1);
    if (mode == M_KILL && number == target) {
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
        for (;;) pause();
    }
    if (mode == M_FAIL && (number == target || (sticky && number > target))) {
        if (number == target) {
            char text[96];
            snprintf(text, sizeof text, "struck %ld %s\n", number, names[kind]);
            tell(text);
        }
        errno = failure;
        return 1;
    }
    return 0;
}

static int is_set(const char *name, const char *value) { return getenv(name) != NULL && strcmp(getenv(name), value) == 0; }

__attribute__((constructor)) static void begin(void) {
    if (getenv("PROOF_SHIM_MODE") == NULL) return;
    owner = getpid();
    const char *at = getenv("PROOF_SHIM_AT"), *path = getenv("PROOF_SHIM_TRACE");
    if (at != NULL) target = atol(at);
    sticky = is_set("PROOF_SHIM_STICKY", "1");
    only = getenv("PROOF_SHIM_ONLY");
    below = getenv("PROOF_SHIM_BELOW");
    if (is_set("PROOF_SHIM_ERRNO", "ENOSPC")) failure = ENOSPC;
    if (is_set("PROOF_SHIM_ERRNO", "EDQUOT")) failure = EDQUOT;
    if (path != NULL) trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (getenv("PROOF_SHIM_CHILDREN") == NULL) unsetenv("LD_PRELOAD");
    if (is_set("PROOF_SHIM_MODE", "kill")) mode = M_KILL;
    if (is_set("PROOF_SHIM_MODE", "fail")) mode = M_FAIL;
    if (is_set("PROOF_SHIM_MODE", "count")) mode = M_COUNT;
    if (mode != M_OFF) tell("loaded\n");
}

__attribute__((destructor)) static void finish(void) {
    if (mode == M_OFF || getpid() != owner) return;
    mode = M_OFF;
    for (int kind = 0; kind < K_KINDS; kind++) {
        char line[96];
        long count = atomic_load(&counts[kind]);
        if (count == 0) continue;
        snprintf(line, sizeof line, "%s %ld\n", names[kind], count);
        tell(line);
    }
}

/* On 64 bits functions for large files are others by name alone. */
#define LARGE(name) __typeof__(name##64) name##64 __attribute__((alias(#name)));

/* Calls on a descriptor. */
#define ON_DESCRIPTOR(type, name, kind, parameters, arguments)          \
    type name parameters {                                              \
        if (strike(kind, fd, "")) return -1;                            \
        return REAL(name) arguments;                                    \
    }

ON_DESCRIPTOR(ssize_t, write, K_WRITE, (int fd, const void *data, size_t size), (fd, data, size))
ON_DESCRIPTOR(ssize_t, pwrite, K_PWRITE, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
ON_DESCRIPTOR(ssize_t, writev, K_WRITEV, (int fd, const struct iovec *parts, int count), (fd, parts, count))
ON_DESCRIPTOR(ssize_t, pwritev, K_PWRITEV, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
ON_DESCRIPTOR(int, fsync, K_FSYNC, (int fd), (fd))
ON_DESCRIPTOR(int, fdatasync, K_FDATASYNC, (int fd), (fd))
ON_DESCRIPTOR(int, ftruncate, K_FTRUNCATE, (int fd, off_t size), (fd, size))
ON_DESCRIPTOR(int, fallocate, K_FALLOCATE, (int fd, int how, off_t at, off_t size), (fd, how, at, size))
ON_DESCRIPTOR(int, fchmod, K_FCHMOD, (int fd, mode_t bits), (fd, bits))
ON_DESCRIPTOR(ssize_t, read, K_READ, (int fd, void *data, size_t size), (fd, data, size))
ON_DESCRIPTOR(ssize_t, pread, K_PREAD, (int fd, void *data, size_t size, off_t at), (fd, data, size, at))
ON_DESCRIPTOR(ssize_t, send, K_SEND, (int fd, const void *data, size_t size, int flags), (fd, data, size, flags))
ON_DESCRIPTOR(ssize_t, sendto, K_SENDTO, (int fd, const void *data, size_t size, int flags, __CONST_SOCKADDR_ARG to, socklen_t length), (fd, data, size, flags, to, length))
ON_DESCRIPTOR(ssize_t, sendmsg, K_SENDMSG, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
ON_DESCRIPTOR(int, sendmmsg, K_SENDMMSG, (int fd, struct mmsghdr *messages, unsigned int count, int flags), (fd, messages, count, flags))
ON_DESCRIPTOR(ssize_t, sendfile, K_SENDFILE, (int fd, int from, off_t *at, size_t size), (fd, from, at, size))

LARGE(pwrite) LARGE(pwritev) LARGE(ftruncate) LARGE(fallocate) LARGE(pread)

int posix_fallocate(int fd, off_t at, off_t size) {
    if (strike(K_FALLOCATE, fd, "")) return failure;
    return REAL(posix_fallocate)(fd, at, size);
}
LARGE(posix_fallocate)

/* Mapping the shared-memory index and the ballast; anonymous memory never passes. */
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t at) {
    if (fd >= 0 && mode == M_FAIL && strike(K_MMAP, fd, "")) return MAP_FAILED;
    return REAL(mmap)(address, size, protection, flags, fd, at);
}
LARGE(mmap)

/* Calls on a path. */
#define ON_PATH(type, name, kind, parameters, arguments, folder, path)  \
    type name parameters {                                              \
        if (strike(kind, folder, path)) return -1;                      \
        note(folder, names[kind], path);                                \
        return REAL(name) arguments;                                    \
    }

ON_PATH(int, truncate, K_TRUNCATE, (const char *path, off_t size), (path, size), AT_FDCWD, path)
ON_PATH(int, rename, K_RENAME, (const char *from, const char *to), (from, to), AT_FDCWD, to)
ON_PATH(int, renameat, K_RENAME, (int a, const char *from, int b, const char *to), (a, from, b, to), b, to)
ON_PATH(int, renameat2, K_RENAME, (int a, const char *from, int b, const char *to, unsigned int flags), (a, from, b, to, flags), b, to)
ON_PATH(int, unlink, K_UNLINK, (const char *path), (path), AT_FDCWD, path)
ON_PATH(int, unlinkat, K_UNLINK, (int folder, const char *path, int flags), (folder, path, flags), folder, path)
ON_PATH(int, remove, K_UNLINK, (const char *path), (path), AT_FDCWD, path)
ON_PATH(int, rmdir, K_RMDIR, (const char *path), (path), AT_FDCWD, path)
ON_PATH(int, link, K_LINK, (const char *from, const char *to), (from, to), AT_FDCWD, to)
ON_PATH(int, linkat, K_LINK, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags), b, to)
ON_PATH(int, symlink, K_SYMLINK, (const char *from, const char *to), (from, to), AT_FDCWD, to)
ON_PATH(int, mkdir, K_MKDIR, (const char *path, mode_t bits), (path, bits), AT_FDCWD, path)
ON_PATH(int, mkdirat, K_MKDIR, (int folder, const char *path, mode_t bits), (folder, path, bits), folder, path)

static int opening(int folder, const char *path, int flags) {
    int creates = __OPEN_NEEDS_MODE(flags);
    if (strike(creates ? K_OPEN_CREATE : K_OPEN, folder, path)) return 1;
    if (creates || (flags & O_ACCMODE) != O_RDONLY) note(folder, creates ? "open(create)" : "open(write)", path);
    return 0;
}
/* The permissions of a new file, which are given only with these flags. */
#define BITS(flags)                                                                         \
    va_list list;                                                                           \
    va_start(list, flags);                                                                  \
    mode_t bits = __OPEN_NEEDS_MODE(flags) ? va_arg(list, mode_t) : 0;                      \
    va_end(list);

int openat(int folder, const char *path, int flags, ...) {
    BITS(flags)
    if (opening(folder, path, flags)) return -1;
    return REAL(openat)(folder, path, flags, bits);
}
int open(const char *path, int flags, ...) {
    BITS(flags)
    return openat(AT_FDCWD, path, flags, bits);
}
int creat(const char *path, mode_t bits) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, bits); }
/* stdio's opens for writing do not pass open(). */
FILE *fopen(const char *path, const char *how) {
    if (strpbrk(how, "wa+") != NULL && opening(AT_FDCWD, path, O_CREAT | O_WRONLY)) return NULL;
    return REAL(fopen)(path, how);
}
int mkostemp(char *path, int flags) {
    if (opening(AT_FDCWD, path, O_CREAT | O_WRONLY)) return -1;
    return REAL(mkostemp)(path, flags);
}
int mkstemp(char *path) { return mkostemp(path, 0); }
LARGE(open) LARGE(openat) LARGE(creat) LARGE(fopen) LARGE(mkstemp) LARGE(mkostemp)

int memfd_create(const char *name, unsigned int flags) {
    note(AT_FDCWD, "memfd", name);
    return REAL(memfd_create)(name, flags);
}

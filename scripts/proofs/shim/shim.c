/* Fault injection by LD_PRELOAD: one counter over all threads for every call that writes or sends.
 *
 * PROOF_SHIM_MODE    "count"  counts only
 *                    "kill"   ends the process with SIGKILL immediately before call number PROOF_SHIM_AT
 *                    "fail"   makes call number PROOF_SHIM_AT fail, and with PROOF_SHIM_STICKY=1 every later one
 * PROOF_SHIM_ERRNO   the error of "fail": EIO or ENOSPC
 * PROOF_SHIM_ONLY    the one kind of call that counts, such as "unlink"
 * PROOF_SHIM_BELOW   folders, separated by colons; in the mode "fail", and with PROOF_SHIM_SCOPE=files, only calls on what
 *                    lies below them count
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
static int sticky, files_only, failure = EIO, trace = -1;
static const char *only;
static char below[8][PATH_MAX];
static int belows;
static pid_t owner;

#define REAL(name) ((__typeof__(&name))real(#name, &slot_##name))
#define SLOT(name) static _Atomic(void *) slot_##name

static void *real(const char *name, _Atomic(void *) *slot) {
    void *found = atomic_load_explicit(slot, memory_order_relaxed);
    if (found == NULL) {
        found = dlsym(RTLD_NEXT, name);
        atomic_store_explicit(slot, found, memory_order_relaxed);
    }
    return found;
}

static int is_below(const char *path) {
    for (int i = 0; i < belows; i++) {
        size_t length = strlen(below[i]);
        if (strncmp(path, below[i], length) == 0 && (path[length] == 0 || path[length] == '/')) return 1;
    }
    return 0;
}

static int descriptor_is_below(int fd) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_below(path);
}

/* An absolute path without symbolic links is what the proofs hand out; a relative one is resolved by its folder. */
static int path_is_below(int folder, const char *path) {
    if (path == NULL) return 0;
    if (path[0] == '/') return is_below(path);
    if (folder != AT_FDCWD) return descriptor_is_below(folder);
    char current[PATH_MAX];
    return getcwd(current, sizeof current) != NULL && is_below(current);
}

static void note(int folder, const char *what, const char *path) {
    if (trace < 0 || path == NULL) return;
    char line[2 * PATH_MAX + 32], base[PATH_MAX] = "";
    if (path[0] != '/') {
        char link[64];
        if (folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
        else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 2);
        if (length < 0) length = 0;
        base[length] = '/';
        base[length + 1] = 0;
    }
    int size = snprintf(line, sizeof line, "%s %s%s\n", what, base, path);
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
static int strike(enum kind kind, int in_scope) {
    if (mode == M_OFF) return 0;
    int is_read = kind == K_READ || kind == K_PREAD || kind == K_OPEN || kind == K_MMAP;
    if (is_read && (mode != M_FAIL || failure == ENOSPC)) return 0;
    if ((mode == M_FAIL || files_only) && !in_scope) return 0;
    if (only != NULL && strcmp(only, names[kind]) != 0) return 0;
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

static int scope_fd(int fd) { return (mode == M_FAIL || files_only) ? descriptor_is_below(fd) : 1; }
static int scope_path(int folder, const char *path) {
    return (mode == M_FAIL || files_only) ? path_is_below(folder, path) : 1;
}

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("PROOF_SHIM_MODE");
    if (text == NULL) return;
    owner = getpid();
    const char *at = getenv("PROOF_SHIM_AT");
    if (at != NULL) target = atol(at);
    sticky = getenv("PROOF_SHIM_STICKY") != NULL && strcmp(getenv("PROOF_SHIM_STICKY"), "1") == 0;
    files_only = getenv("PROOF_SHIM_SCOPE") != NULL && strcmp(getenv("PROOF_SHIM_SCOPE"), "files") == 0;
    only = getenv("PROOF_SHIM_ONLY");
    const char *number = getenv("PROOF_SHIM_ERRNO");
    if (number != NULL && strcmp(number, "ENOSPC") == 0) failure = ENOSPC;
    const char *folders = getenv("PROOF_SHIM_BELOW");
    while (folders != NULL && *folders != 0 && belows < 8) {
        size_t length = strcspn(folders, ":");
        if (length > 0 && length < PATH_MAX) {
            memcpy(below[belows], folders, length);
            below[belows++][length] = 0;
        }
        folders += length + (folders[length] == ':');
    }
    const char *path = getenv("PROOF_SHIM_TRACE");
    if (path != NULL) trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (getenv("PROOF_SHIM_CHILDREN") == NULL) unsetenv("LD_PRELOAD");
    if (strcmp(text, "kill") == 0) mode = M_KILL;
    else if (strcmp(text, "fail") == 0) mode = M_FAIL;
    else if (strcmp(text, "count") == 0) mode = M_COUNT;
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

/* Calls on a descriptor. */
#define ON_DESCRIPTOR(type, name, kind, parameters, arguments)          \
    SLOT(name);                                                         \
    type name parameters {                                              \
        if (strike(kind, scope_fd(fd))) return -1;                      \
        return REAL(name) arguments;                                    \
    }

ON_DESCRIPTOR(ssize_t, write, K_WRITE, (int fd, const void *data, size_t size), (fd, data, size))
ON_DESCRIPTOR(ssize_t, pwrite, K_PWRITE, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
ON_DESCRIPTOR(ssize_t, pwrite64, K_PWRITE, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
ON_DESCRIPTOR(ssize_t, writev, K_WRITEV, (int fd, const struct iovec *parts, int count), (fd, parts, count))
ON_DESCRIPTOR(ssize_t, pwritev, K_PWRITEV, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
ON_DESCRIPTOR(ssize_t, pwritev64, K_PWRITEV, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
ON_DESCRIPTOR(int, fsync, K_FSYNC, (int fd), (fd))
ON_DESCRIPTOR(int, fdatasync, K_FDATASYNC, (int fd), (fd))
ON_DESCRIPTOR(int, ftruncate, K_FTRUNCATE, (int fd, off_t size), (fd, size))
ON_DESCRIPTOR(int, ftruncate64, K_FTRUNCATE, (int fd, off64_t size), (fd, size))
ON_DESCRIPTOR(int, fallocate, K_FALLOCATE, (int fd, int how, off_t at, off_t size), (fd, how, at, size))
ON_DESCRIPTOR(int, fallocate64, K_FALLOCATE, (int fd, int how, off64_t at, off64_t size), (fd, how, at, size))
ON_DESCRIPTOR(int, fchmod, K_FCHMOD, (int fd, mode_t bits), (fd, bits))
ON_DESCRIPTOR(ssize_t, read, K_READ, (int fd, void *data, size_t size), (fd, data, size))
ON_DESCRIPTOR(ssize_t, pread, K_PREAD, (int fd, void *data, size_t size, off_t at), (fd, data, size, at))
ON_DESCRIPTOR(ssize_t, pread64, K_PREAD, (int fd, void *data, size_t size, off64_t at), (fd, data, size, at))
ON_DESCRIPTOR(ssize_t, send, K_SEND, (int fd, const void *data, size_t size, int flags), (fd, data, size, flags))
ON_DESCRIPTOR(ssize_t, sendto, K_SENDTO, (int fd, const void *data, size_t size, int flags, __CONST_SOCKADDR_ARG to, socklen_t length), (fd, data, size, flags, to, length))
ON_DESCRIPTOR(ssize_t, sendmsg, K_SENDMSG, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
ON_DESCRIPTOR(int, sendmmsg, K_SENDMMSG, (int fd, struct mmsghdr *messages, unsigned int count, int flags), (fd, messages, count, flags))
ON_DESCRIPTOR(ssize_t, sendfile, K_SENDFILE, (int fd, int from, off_t *at, size_t size), (fd, from, at, size))

#define FALLOCATE(name)                                                 \
    SLOT(name);                                                         \
    int name(int fd, off_t at, off_t size) {                            \
        if (strike(K_FALLOCATE, scope_fd(fd))) return failure;          \
        return REAL(name)(fd, at, size);                                \
    }
FALLOCATE(posix_fallocate)
FALLOCATE(posix_fallocate64)

/* Mapping the shared-memory index and the ballast; anonymous memory never passes. */
#define MMAP(name)                                                                                      \
    SLOT(name);                                                                                         \
    void *name(void *address, size_t size, int protection, int flags, int fd, off_t at) {               \
        if (fd >= 0 && mode == M_FAIL && strike(K_MMAP, descriptor_is_below(fd))) return MAP_FAILED;    \
        return REAL(name)(address, size, protection, flags, fd, at);                                    \
    }
MMAP(mmap)
MMAP(mmap64)

/* Calls on a path. */
#define ON_PATH(type, name, kind, parameters, arguments, folder, path)  \
    SLOT(name);                                                         \
    type name parameters {                                              \
        if (strike(kind, scope_path(folder, path))) return -1;          \
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
    int creates = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    if (strike(creates ? K_OPEN_CREATE : K_OPEN, scope_path(folder, path))) return 1;
    if (creates || (flags & O_ACCMODE) != O_RDONLY) note(folder, creates ? "open(create)" : "open(write)", path);
    return 0;
}
#define BITS(flags)                                                             \
    mode_t bits = 0;                                                            \
    if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) {            \
        va_list list;                                                           \
        va_start(list, flags);                                                  \
        bits = va_arg(list, mode_t);                                            \
        va_end(list);                                                           \
    }
#define OPEN(name)                                                      \
    SLOT(name);                                                         \
    int name(const char *path, int flags, ...) {                        \
        BITS(flags)                                                     \
        if (opening(AT_FDCWD, path, flags)) return -1;                  \
        return REAL(name)(path, flags, bits);                           \
    }
#define OPENAT(name)                                                    \
    SLOT(name);                                                         \
    int name(int folder, const char *path, int flags, ...) {            \
        BITS(flags)                                                     \
        if (opening(folder, path, flags)) return -1;                    \
        return REAL(name)(folder, path, flags, bits);                   \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

SLOT(creat);
int creat(const char *path, mode_t bits) {
    if (opening(AT_FDCWD, path, O_CREAT | O_WRONLY)) return -1;
    return REAL(creat)(path, bits);
}
/* stdio's opens for writing do not pass open(). */
#define FOPEN(name)                                                                                     \
    SLOT(name);                                                                                         \
    FILE *name(const char *path, const char *how) {                                                     \
        if (strpbrk(how, "wa+") != NULL && opening(AT_FDCWD, path, O_CREAT | O_WRONLY)) return NULL;    \
        return REAL(name)(path, how);                                                                   \
    }
FOPEN(fopen)
FOPEN(fopen64)
#define MKSTEMP(name)                                   \
    SLOT(name);                                         \
    int name(char *path) {                              \
        if (strike(K_OPEN_CREATE, scope_path(AT_FDCWD, path))) return -1; \
        int fd = REAL(name)(path);                      \
        note(AT_FDCWD, "mkstemp", path);                \
        return fd;                                      \
    }
MKSTEMP(mkstemp)
MKSTEMP(mkstemp64)
SLOT(mkostemp);
int mkostemp(char *path, int flags) {
    if (strike(K_OPEN_CREATE, scope_path(AT_FDCWD, path))) return -1;
    int fd = REAL(mkostemp)(path, flags);
    note(AT_FDCWD, "mkostemp", path);
    return fd;
}
SLOT(memfd_create);
int memfd_create(const char *name, unsigned int flags) {
    note(AT_FDCWD, "memfd", name);
    return REAL(memfd_create)(name, flags);
}

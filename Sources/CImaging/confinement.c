#define _GNU_SOURCE
#include "idci_confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "Name the audit architecture of this processor; see linux/audit.h."
#endif

static int set_limits(int resource, uint64_t soft, uint64_t hard) {
    struct rlimit limit = {.rlim_cur = (rlim_t)soft, .rlim_max = (rlim_t)hard}, present;
    if (getrlimit(resource, &present) != 0) return -1;
    /* A tighter limit stays: it cannot be raised and need not be. */
    if (present.rlim_max < limit.rlim_max) limit.rlim_max = present.rlim_max;
    if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
    return setrlimit(resource, &limit);
}

static int set_limit(int resource, uint64_t value) { return set_limits(resource, value, value); }

/* Returns the address space in use, or 0 if /proc is unreadable. */
static uint64_t mapped_bytes(void) {
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL) return 0;
    unsigned long long pages = 0;
    int found = fscanf(file, "%llu", &pages);
    fclose(file);
    return found == 1 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

int idci_memory_file(void) { return memfd_create("image", MFD_CLOEXEC); }

int idci_private_pipe(int *read_end, int *write_end) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    *read_end = ends[0];
    *write_end = ends[1];
    return 0;
}

int idci_close_above(posix_spawn_file_actions_t *actions, int last_descriptor) {
    return posix_spawn_file_actions_addclosefrom_np(actions, last_descriptor + 1);
}

int idci_refuse_dumps(void) {
    struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int idci_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

// Calls for memory, open descriptors and exit; no call that takes a path or a process, or opens a descriptor.
static const unsigned allowed_calls[] = {
    SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_lseek, SYS_fstat, SYS_close,
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
    SYS_futex, SYS_sched_yield, SYS_clock_gettime, SYS_getrandom,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_exit, SYS_exit_group,
};

// Makes all calls that are not listed fail with EPERM, in every thread. The process is not killed: glibc and Swift also make
// calls that they can do without.
static int allow_only_listed_calls(void) {
    enum { CALLS = sizeof allowed_calls / sizeof allowed_calls[0] };
    const struct sock_filter head[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    enum { HEAD = sizeof head / sizeof head[0] };
    struct sock_filter code[HEAD + 2 * CALLS + 1];
    unsigned short count = 0;
    while (count < HEAD) {
        code[count] = head[count];
        count++;
    }
    for (int i = 0; i < CALLS; i++) {
        code[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed_calls[i], 0, 1);
        code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    const struct sock_fprog program = {.len = count, .filter = code};
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (result > 0) errno = EBUSY;  // `result` is a thread that already has a filter of its own.
    return result == 0 ? 0 : -1;
}

int idci_confine(const idci_confinement *limits) {
    uint64_t mapped = mapped_bytes();
    if (idci_refuse_dumps() != 0) return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    if (mapped == 0) {
        errno = ENOSYS;
        return -1;
    }
    if (set_limit(RLIMIT_AS, mapped + limits->memory_bytes) != 0) return -1;
    /* The soft limit is lower, so that SIGXCPU names the cause: a SIGKILL could come from any process. */
    if (set_limits(RLIMIT_CPU, limits->cpu_seconds, limits->cpu_seconds + 1) != 0) return -1;
    if (set_limit(RLIMIT_FSIZE, limits->file_bytes) != 0) return -1;
    return allow_only_listed_calls();
}

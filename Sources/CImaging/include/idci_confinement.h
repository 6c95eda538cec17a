// What a process gives up, so that a decoder that is taken over or runs wild can do little, and nothing of a picture
// lands in a core dump. Linux; in C because prctl(2) takes a variable number of arguments.

#ifndef IDCI_CONFINEMENT_H
#define IDCI_CONFINEMENT_H

#include <spawn.h>
#include <stdint.h>

/// What a decoding process may still use.
typedef struct {
    uint64_t memory_bytes;  ///< Address space beyond what is mapped now.
    uint64_t cpu_seconds;   ///< Processor time; the process is killed at its end.
    uint64_t file_bytes;    ///< The size that a file may be given, which is that of the output.
} idci_confinement;

/**
 * Confines this process for good: the limits given, no new privileges, no dump, and no system call (seccomp) but those
 * for memory, open descriptors and the end: no path, socket, signal, thread or process. Every other call fails with
 * EPERM. Returns 0, or -1 with errno if something of it cannot be set.
 */
int idci_confine(const idci_confinement *limits);

/**
 * Lets this process be killed when the thread that made it ends, with its process or alone. Returns 0, or -1 with
 * errno.
 */
int idci_die_with_parent(void);

/**
 * Keeps the memory of this process out of core dumps and of other processes of the same user (ptrace, /proc/PID/mem).
 * Returns 0, or -1 with errno.
 */
int idci_refuse_dumps(void);

/**
 * Makes an empty file in memory without a name (memfd_create, Linux 3.17), closed on exec. Returns its descriptor, or
 * -1 with errno.
 */
int idci_memory_file(void);

/**
 * Makes a pipe whose ends are closed on exec. Returns 0, or -1 with errno.
 */
int idci_private_pipe(int *read_end, int *write_end);

/**
 * Lets a child that is about to be made begin with no descriptor above `last_descriptor` (glibc 2.34). Returns 0, or an
 * error number.
 */
int idci_close_above(posix_spawn_file_actions_t *actions, int last_descriptor);

#endif

// Confinement of a process: limits the damage by a compromised or runaway decoder, and keeps pictures out of core
// dumps. Linux; in C because prctl(2) takes a variable number of arguments.

#ifndef IDCI_CONFINEMENT_H
#define IDCI_CONFINEMENT_H

#include <spawn.h>
#include <stdint.h>

/// The resources that a confined process may still use.
typedef struct {
    uint64_t memory_bytes;  ///< Address space beyond what is mapped now.
    uint64_t cpu_seconds;   ///< Processor time; beyond it the process is killed.
    uint64_t file_bytes;    ///< Maximum size of a file: the output.
} idci_confinement;

/**
 * Confines this process permanently: the given limits, no new privileges, no dump, and (seccomp) only system calls for
 * memory, open descriptors and exit: no path, socket, signal, thread or process. Every other call fails with EPERM.
 * Returns 0, or -1 with errno if a part of the confinement fails.
 */
int idci_confine(const idci_confinement *limits);

/**
 * Has the kernel kill this process when the thread that created it exits, alone or with its process. Returns 0, or -1
 * with errno.
 */
int idci_die_with_parent(void);

/**
 * Keeps the memory of this process out of core dumps and of other processes of the same user (ptrace, /proc/PID/mem).
 * Returns 0, or -1 with errno.
 */
int idci_refuse_dumps(void);

/**
 * Creates an empty file in memory without a name (memfd_create, Linux 3.17), closed on exec. Returns its descriptor, or
 * -1 with errno.
 */
int idci_memory_file(void);

/**
 * Creates a pipe whose ends are closed on exec. Returns 0, or -1 with errno.
 */
int idci_private_pipe(int *read_end, int *write_end);

/**
 * Has the next child start without descriptors above `last_descriptor` (glibc 2.34). Returns 0, or an error number.
 */
int idci_close_above(posix_spawn_file_actions_t *actions, int last_descriptor);

#endif

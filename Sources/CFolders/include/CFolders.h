// What folders need of Linux and glibc shows only to C with _GNU_SOURCE.

#ifndef IDC_CFOLDERS_H
#define IDC_CFOLDERS_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Renames without ever replacing (renameat2(2) with RENAME_NOREPLACE, Linux 3.15). Returns 0, or -1 with errno: EEXIST
 * if the new name is taken, EINVAL where the file system cannot.
 */
int idc_rename_new(int from_folder, const char *from, int to_folder, const char *to);

/**
 * Makes a descriptor that wakes a thread waiting in poll(2) (eventfd, closed on exec). Returns it, or -1 with errno.
 */
int idc_wake_descriptor(void);

/**
 * Tells whether the file system behind a descriptor is served by another machine or by a program, so that inotify does
 * not see what others do there. Returns 1 or 0, or -1 with errno.
 */
int idc_is_remote(int descriptor);

/**
 * Has root make its calls on a folder, and on everything in it, as a user: those between idc_act_for and idc_act_again,
 * and those of SQLite that idc_call_for replaces. The latest word on a folder counts; user 0 takes it back. Returns 0, or
 * -1 with errno: EPERM if this process may not act as that user (CAP_SETUID and CAP_SETGID are missing).
 */
int idc_own_folder(const char *folder, uid_t user, gid_t group);

/** Who a thread was for the file system. */
typedef struct {
    int is_changed;
    uid_t user;
    gid_t group;
} idc_identity;

/**
 * Makes the calling thread, for the file system alone (setfsuid(2)), the user for a path that idc_own_folder has named;
 * any other path changes nothing. No thread may be started before idc_act_again: it would stay that user. Keeps errno.
 */
idc_identity idc_act_for(const char *path);

/** Ends what idc_act_for began. Keeps errno. */
void idc_act_again(idc_identity before);

/**
 * A function for a name of SQLite's table of system calls (sqlite3_vfs.xSetSystemCall) that acts for its path; NULL for
 * a name whose call takes no path.
 */
void (*idc_call_for(const char *name))(void);

#ifdef __cplusplus
}
#endif

#endif

// Calls of Linux and glibc that only C with _GNU_SOURCE can use.

#ifndef IDC_CFOLDERS_H
#define IDC_CFOLDERS_H

/**
 * Renames without ever replacing (renameat2(2) with RENAME_NOREPLACE, Linux 3.15). Returns 0, or -1 with errno: EEXIST
 * if the new name exists, EINVAL if the file system does not support it.
 */
int idc_rename_new(int from_folder, const char *from, int to_folder, const char *to);

/**
 * Returns 1 if another machine or a program serves the file system of a descriptor, so that inotify misses changes made
 * elsewhere; else 0, or -1 with errno.
 */
int idc_is_remote(int descriptor);

/**
 * Opens a path as open(2) does, but follows no symbolic link in any component (openat2(2) with RESOLVE_NO_SYMLINKS,
 * Linux 5.6; component by component if the kernel or a sandbox lacks the call). Returns a descriptor, or -1 with errno:
 * ELOOP for a link.
 */
int idc_open_real(const char *path, int flags);

/** As idc_open_real, but with O_PATH: only for fstat(2). */
int idc_open_real_path(const char *path);

/** As idc_open_real, always component by component. */
int idc_open_stepwise(const char *path, int flags);

#endif

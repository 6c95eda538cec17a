// What folders need of Linux and glibc shows only to C with _GNU_SOURCE.

#ifndef IDC_CFOLDERS_H
#define IDC_CFOLDERS_H

/**
 * Renames without ever replacing (renameat2(2) with RENAME_NOREPLACE, Linux 3.15). Returns 0, or -1 with errno: EEXIST
 * if the new name is taken, EINVAL where the file system cannot.
 */
int idc_rename_new(int from_folder, const char *from, int to_folder, const char *to);

/**
 * Tells whether the file system behind a descriptor is served by another machine or by a program, so that inotify does
 * not see what others do there. Returns 1 or 0, or -1 with errno.
 */
int idc_is_remote(int descriptor);

/**
 * Opens a path as open(2) does, and follows no symbolic link, not even on the way (openat2(2) with RESOLVE_NO_SYMLINKS,
 * Linux 5.6; component by component where the kernel or a sandbox has no such call). Returns a descriptor, or -1 with
 * errno: ELOOP where a link is met.
 */
int idc_open_real(const char *path, int flags);

/** As idc_open_real, only to look at what stands there with fstat(2) (O_PATH). */
int idc_look_real(const char *path);

/** As idc_open_real, always component by component. */
int idc_open_stepwise(const char *path, int flags);

#endif

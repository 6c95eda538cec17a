#define _GNU_SOURCE
#include "CFolders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int idc_rename_new(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat2(from_folder, from, to_folder, to, RENAME_NOREPLACE);
}

int idc_is_remote(int descriptor) {
    // statfs(2) and linux/magic.h: NFS, SMB, CIFS, SMB2, FUSE, 9P, Ceph, AFS, Coda, NCP, OCFS2, GFS2, Lustre, VirtualBox,
    // BeeGFS, GPFS, PanFS, kAFS, vmhgfs, prl_fs, ACFS, IBRIX, SNFS.
    static const unsigned long kinds[] = {
        0x6969,     0x517B,     0xFF534D42, 0xFE534D42, 0x65735546, 0x01021997, 0x00C36400,
        0x5346414F, 0x73757245, 0x564C,     0x7461636F, 0x01161970, 0x0BD00BD0, 0x786F4256,
        0x19830326, 0x47504653, 0xAAD7AAEA, 0x6B414653, 0xBACBACBC, 0x7C7C6673, 0x61636673, 0x013111A8, 0xBEEFDEAD,
    };
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) {
        return -1;
    }
    for (size_t index = 0; index < sizeof kinds / sizeof kinds[0]; index++) {
        if (((unsigned long)status.f_type & 0xFFFFFFFFUL) == kinds[index]) {
            return 1;
        }
    }
    return 0;
}

// Opens a name in a folder, and closes the folder.
static int enter(int folder, const char *name, int flags) {
    int next = openat(folder, name, flags | O_NOFOLLOW);
    int error = errno;
    struct stat status;
    // For a link, openat(2) with O_DIRECTORY reports ENOTDIR; without it, ELOOP.
    if (next < 0 && error == ENOTDIR && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISLNK(status.st_mode)) {
        error = ELOOP;
    }
    close(folder);
    errno = error;
    return next;
}

int idc_open_stepwise(const char *path, int flags) {
    char rest[PATH_MAX];
    if (strlen(path) >= sizeof rest) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(rest, path);
    int folder = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    char *state = NULL;
    const char *name = strtok_r(rest, "/", &state);
    if (name == NULL) {
        name = ".";
    }
    while (folder >= 0) {
        const char *next = strtok_r(NULL, "/", &state);
        if (next == NULL) {
            return enter(folder, name, flags);
        }
        folder = enter(folder, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
        name = next;
    }
    return -1;
}

int idc_open_real(const char *path, int flags) {
    struct open_how how = {.flags = (unsigned int)flags, .resolve = RESOLVE_NO_SYMLINKS};
    long descriptor = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    // Container sandboxes that do not know the call refuse it with EPERM.
    if (descriptor < 0 && (errno == ENOSYS || errno == EPERM)) {
        return idc_open_stepwise(path, flags);
    }
    return (int)descriptor;
}

int idc_open_real_path(const char *path) {
    return idc_open_real(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

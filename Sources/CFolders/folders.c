#define _GNU_SOURCE
#include "CFolders.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/vfs.h>

int idc_rename_new(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat2(from_folder, from, to_folder, to, RENAME_NOREPLACE);
}

int idc_is_remote(int descriptor) {
    // statfs(2) and linux/magic.h: NFS, SMB, CIFS, SMB2, FUSE, 9P, Ceph, AFS, Coda, NCP, OCFS2, GFS2, Lustre, VirtualBox.
    static const unsigned long kinds[] = {
        0x6969,     0x517B,     0xFF534D42, 0xFE534D42, 0x65735546, 0x01021997, 0x00C36400,
        0x5346414F, 0x73757245, 0x564C,     0x7461636F, 0x01161970, 0x0BD00BD0, 0x786F4256,
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

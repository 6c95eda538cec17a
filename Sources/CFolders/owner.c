#define _GNU_SOURCE
#include "CFolders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct owned_folder {
    struct owned_folder *next;
    uid_t user;
    gid_t group;
    size_t length;
    char path[];
} owned_folder;

// The newest first. None is ever freed, so that a reader needs no lock; a process works on few sandboxes.
static _Atomic(owned_folder *) owned_folders;

static owned_folder *find(const char *path) {
    for (owned_folder *folder = atomic_load(&owned_folders); folder != NULL; folder = folder->next) {
        if (strncmp(path, folder->path, folder->length) == 0 &&
            (path[folder->length] == '/' || path[folder->length] == 0)) {
            return folder;
        }
    }
    return NULL;
}

static idc_identity act_as(uid_t user, gid_t group) {
    int error = errno;
    idc_identity before = {.is_changed = 1};
    // The group first: without the rights of root it could not be changed.
    before.group = (gid_t)setfsgid(group);
    before.user = (uid_t)setfsuid(user);
    errno = error;
    return before;
}

int idc_own_folder(const char *path, uid_t user, gid_t group) {
    owned_folder *known = find(path);
    if (known == NULL ? user == 0 : known->user == user && known->group == group) {
        return 0;
    }
    if (user != 0) {
        idc_identity before = act_as(user, group);
        // Neither call tells of a failure; an impossible id changes nothing and returns the present one.
        int is_possible = (uid_t)setfsuid((uid_t)-1) == user && (gid_t)setfsgid((gid_t)-1) == group;
        idc_act_again(before);
        if (!is_possible) {
            errno = EPERM;
            return -1;
        }
    }
    size_t length = strlen(path);
    owned_folder *folder = malloc(sizeof *folder + length + 1);
    if (folder == NULL) {
        return -1;
    }
    folder->user = user;
    folder->group = group;
    folder->length = length;
    memcpy(folder->path, path, length + 1);
    folder->next = atomic_load(&owned_folders);
    while (!atomic_compare_exchange_weak(&owned_folders, &folder->next, folder)) {
    }
    return 0;
}

idc_identity idc_act_for(const char *path) {
    owned_folder *folder = find(path);
    if (folder == NULL || folder->user == 0) {
        return (idc_identity){.is_changed = 0};
    }
    return act_as(folder->user, folder->group);
}

void idc_act_again(idc_identity before) {
    if (!before.is_changed) {
        return;
    }
    int error = errno;
    setfsuid(before.user);
    setfsgid(before.group);
    errno = error;
}

static int call_open(const char *path, int flags, int mode) {
    idc_identity before = idc_act_for(path);
    int result = open(path, flags, mode);
    idc_act_again(before);
    return result;
}

static int call_access(const char *path, int mode) {
    idc_identity before = idc_act_for(path);
    int result = access(path, mode);
    idc_act_again(before);
    return result;
}

static int call_stat(const char *path, struct stat *status) {
    idc_identity before = idc_act_for(path);
    int result = stat(path, status);
    idc_act_again(before);
    return result;
}

static int call_lstat(const char *path, struct stat *status) {
    idc_identity before = idc_act_for(path);
    int result = lstat(path, status);
    idc_act_again(before);
    return result;
}

static int call_unlink(const char *path) {
    idc_identity before = idc_act_for(path);
    int result = unlink(path);
    idc_act_again(before);
    return result;
}

static ssize_t call_readlink(const char *path, char *buffer, size_t size) {
    idc_identity before = idc_act_for(path);
    ssize_t result = readlink(path, buffer, size);
    idc_act_again(before);
    return result;
}

typedef void (*call)(void);

call idc_call_for(const char *name) {
    static const struct {
        const char *name;
        call function;
    } calls[] = {
        {"open", (call)call_open},     {"access", (call)call_access}, {"stat", (call)call_stat},
        {"lstat", (call)call_lstat},   {"unlink", (call)call_unlink}, {"readlink", (call)call_readlink},
    };
    for (size_t index = 0; index < sizeof calls / sizeof calls[0]; index++) {
        if (strcmp(calls[index].name, name) == 0) {
            return calls[index].function;
        }
    }
    return NULL;
}

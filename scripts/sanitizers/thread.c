// What the thread sanitizer is to do, and what of Swift's libraries it must see; linked into the binaries of `scripts/test --sanitize thread`.
//
// Synchronization.Mutex takes and gives up a free lock by atomics that are compiled into our own code, where the sanitizer sees
// them. A contended lock goes through the Swift library, which is built without the sanitizer: the kernel hands the lock over, and the
// sanitizer takes what the lock orders for a race. These two stand before the library's functions and say what the lock does.
// (swift/stdlib/public/Synchronization/Mutex/LinuxImpl.swift)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// Weak: a tool of the build is linked without the sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// 99 is no status of ours: a finding shows in whatever ends, also in commands that tests start with an environment of their own.
// Not weak, as the runtime's own are: of two weak ones the first that is linked counts, and in a command that is the runtime's.
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "exitcode=99:second_deadlock_stack=1"; }

// Whether a value is the last reference to its storage is asked of the Swift library, by an atomic that the sanitizer does not see: what
// others read before they gave up theirs looks like a race with what the last one writes. NIO's pool of receive buffers lives by that.
// (swift-nio: NIOPooledRecvBufferAllocator.swift; swift/stdlib/public/runtime/HeapObject.cpp: swift_isUniquelyReferenced_nonNull_native)
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "race:NIOCore10ByteBufferV22_modifyIfUniquelyOwned\n"; }

#define SWIFTCALL __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef SWIFTCALL void (*lock_slow)(uint32_t thread, SELF void *handle);
typedef SWIFTCALL void (*unlock_slow)(SELF void *handle);

SWIFTCALL void lockSlow(uint32_t thread, SELF void *handle) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFTCALL void unlockSlow(SELF void *handle) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFTCALL void lockSlow(uint32_t thread, SELF void *handle) {
    static lock_slow library;
    lock_slow function = __atomic_load_n(&library, __ATOMIC_ACQUIRE);
    if (!function) {
        function = (lock_slow)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
        __atomic_store_n(&library, function, __ATOMIC_RELEASE);
    }
    function(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFTCALL void unlockSlow(SELF void *handle) {
    static unlock_slow library;
    unlock_slow function = __atomic_load_n(&library, __ATOMIC_ACQUIRE);
    if (!function) {
        function = (unlock_slow)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
        __atomic_store_n(&library, function, __ATOMIC_RELEASE);
    }
    if (__tsan_release) __tsan_release(handle);
    function(handle);
}

// A continuation that was resumed before it is awaited goes on at once, by an atomic in the Swift library; only the other way, by the queue
// of jobs, is told to the sanitizer. This one stands before it and says that whoever resumed the task came before.
// (swift/stdlib/public/Concurrency/Task.cpp: swift_continuation_awaitImpl, resumeTaskAfterContinuation)
#define SWIFTASYNCCALL __attribute__((swiftasynccall))

typedef SWIFTASYNCCALL void (*continuation_await)(void *context);

__attribute__((weak)) SWIFTCALL void *swift_task_getCurrent(void);

SWIFTASYNCCALL void swift_continuation_await(void *context) {
    static continuation_await library;
    continuation_await function = __atomic_load_n(&library, __ATOMIC_ACQUIRE);
    if (!function) {
        function = (continuation_await)dlsym(RTLD_NEXT, "swift_continuation_await");
        __atomic_store_n(&library, function, __ATOMIC_RELEASE);
    }
    if (__tsan_acquire) __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return function(context);
}

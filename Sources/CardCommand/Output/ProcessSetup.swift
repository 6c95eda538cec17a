import CardImaging
import Glibc

/// Makes the process safe before anything else runs.
enum ProcessSetup {
    /// Fills closed standard streams, keeps memory and files from others, and lets glibc give memory back.
    static func begin() {
        // A reader that goes away (`| head`) must not kill a run half-way: writing answers EPIPE instead.
        signal(SIGPIPE, SIG_IGN)
        // Ignored by who started us, the ends of our own children could not be waited for.
        signal(SIGCHLD, SIG_DFL)
        // A descriptor 0, 1 or 2 that is closed would be given to the next file opened, and a report would be written into the
        // sandbox. The lowest free descriptor is taken, which is this one.
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
        // Files and folders are for their owner alone, whatever umask we were started with.
        umask(0o077)
        // No core dumps and no backtraces: those quote memory around registers, which may be a name. `SWIFT_BACKTRACE` in the
        // environment asks for them all the same. Where the kernel refuses, nothing more can be done.
        _ = DecodingChild.refuseDumps()
        if getenv("SWIFT_BACKTRACE") == nil {
            let signals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]
            for number in signals { signal(number, SIG_DFL) }
        }
        // The usual 1,024 open files are for programs that wait by `select(2)`.
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

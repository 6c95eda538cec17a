import Glibc
import IDCardImaging

/// Keeps what passes through the process from lying about afterwards.
package enum ProcessSecrecy {
    /// Lets others read nothing that is written, and nobody look into the memory: to be called before anything else.
    ///
    /// Files and folders are for their owner alone, whatever umask we were started with. There are no core dumps, and no
    /// backtraces: those quote memory around registers, which may be a name. `SWIFT_BACKTRACE` in the environment asks
    /// for them all the same.
    package static func begin() {
        umask(0o077)
        // Nothing more can be done where the kernel refuses; what was said of dumps holds for every Linux since 2.6.
        _ = DecoderConfinement.refuseDumps()
        guard getenv("SWIFT_BACKTRACE") == nil else { return }
        for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
    }
}

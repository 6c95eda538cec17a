import Glibc

/// Makes the standard streams safe before anything else runs.
package enum StandardStreams {
    /// Ignores SIGPIPE and fills closed standard descriptors.
    ///
    /// A reader that goes away (`| head`) must not kill a run half-way: writing answers EPIPE instead. A descriptor 0, 1 or 2 that is closed would be given
    /// to the next file opened, and a report would be written into the sandbox.
    package static func secure() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free descriptor is taken, which is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }
}

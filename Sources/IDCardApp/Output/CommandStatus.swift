package import ArgumentParser

/// The documented exit statuses, after `sysexits.h`.
package enum CommandStatus: Int32, CaseIterable, Sendable {
    /// Every card is delivered; duplicates count as done.
    case delivered = 0
    /// Some card ended rejected, failed or held, or its front blocks it.
    case someNotDelivered = 1
    /// The command line is wrong.
    case usage = 64
    /// An input cannot be read.
    case inputUnreadable = 66
    /// An endpoint stopped us: credentials, quota, TOKEN.
    case endpointStopped = 69
    /// The sandbox or the disk fails.
    case sandboxError = 74
    /// Work remains; run again.
    case workRemains = 75
    /// The configuration is wrong.
    case configuration = 78
    /// Interrupted by SIGINT; all is durable.
    case interrupted = 130
    /// Interrupted by SIGTERM; all is durable.
    case terminated = 143

    /// The status as what a command throws to end with it.
    package var exitCode: ExitCode { ExitCode(self.rawValue) }
}

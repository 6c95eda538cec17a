/// A signal that ends a run.
enum EndingSignal: Sendable {
    /// SIGINT, from Ctrl-C.
    case interrupt
    /// SIGTERM, from a service manager.
    case terminate

    /// The exit status that tells of it.
    var exitStatus: CommandStatus {
        switch self {
        case .interrupt: .interrupted
        case .terminate: .terminated
        }
    }
}

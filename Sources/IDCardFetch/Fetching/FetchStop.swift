import IDCardCore
import IDCardPipeline

/// Why work on an image, or on a range of it, ended before its end.
enum FetchStop: Error {
    /// Keeping or reading pieces failed; goes to the caller as it is.
    case store(any Error)
    /// The calling task was cancelled.
    case cancelled
    /// The rules forbid it, or it is no image.
    case refused(FetchRefusal)
    /// The server has another version now than the one begun with.
    case changed
    /// The server does something else with ranges than RFC 9110 says: everything must be asked for at once.
    case unusableRanges
    /// An attempt has failed.
    case failed(RemoteFailure)

    /// Which of several to report: the one of the lowest rank. Cancelled are also those that another one has ended.
    var rank: Int {
        switch self {
        case .store: 0
        case .refused: 1
        case .unusableRanges: 2
        case .changed: 3
        case .failed: 4
        case .cancelled: 5
        }
    }
}

import Foundation
import Synchronization

/// The bytes of a source until they are decoded: whoever waits for what comes of them does not hold them any longer than that.
final class SourceBytes: Sendable {
    private let bytes: Mutex<Data?>

    init(_ bytes: Data) {
        self.bytes = Mutex(bytes)
    }

    /// Hands the bytes over; they are there once.
    func take() -> Data {
        self.bytes.withLock { bytes in
            defer { bytes = nil }
            guard let bytes else { preconditionFailure("the bytes of a source are taken a second time") }
            return bytes
        }
    }
}

import Foundation
import Glibc
import Synchronization
import Testing

/// What is put into a folder, by name, as the kernel tells of it: an event to wait for.
final class FolderArrivals: Sendable {
    private let descriptor: Int32

    /// Begins to listen.
    init(in folder: URL) throws {
        self.descriptor = inotify_init1(Int32(IN_CLOEXEC))
        try #require(self.descriptor >= 0)
        try #require(inotify_add_watch(self.descriptor, folder.path, UInt32(IN_MOVED_TO | IN_CREATE)) >= 0)
    }

    deinit { close(self.descriptor) }

    /// Waits until a file of a name has been put there, since the last one that was waited for.
    func next(named name: String) async throws {
        while try await !self.names().contains(name) {}
    }

    /// Waits for news on a thread that may block; a test whose time is over must not wait for it.
    private func names() async throws -> [String] {
        let isCancelled = Atomic(false)
        let bytes = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [descriptor] in
                    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    while poll(&entry, 1, 100) == 0, !isCancelled.load(ordering: .relaxed) {}
                    var bytes = [UInt8](repeating: 0, count: 4096)
                    let count = entry.revents == 0 ? 0 : read(descriptor, &bytes, bytes.count)
                    continuation.resume(returning: bytes.prefix(max(0, count)))
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
        try #require(!bytes.isEmpty)
        var (names, place): ([String], Int) = ([], 0)
        while place + 16 <= bytes.count {
            let length = bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self)) }
            let name = bytes[(place + 16)..<(place + 16 + length)].prefix { $0 != 0 }
            names.append(String(decoding: name, as: UTF8.self))
            place += 16 + length
        }
        return names
    }
}

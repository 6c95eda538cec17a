import Dispatch
import Foundation
import Glibc
import Testing

/// What the system tells of the files in a folder (inotify(7)), so that a test looks again when something has changed.
enum FolderNews {
    /// Looks now, and again after each change in a folder, until what is looked for is there.
    static func wait(in folder: URL, until isThere: () async throws -> Bool) async throws {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        let changes = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)
        try #require(descriptor >= 0 && inotify_add_watch(descriptor, folder.path, changes) >= 0, "\(folder.path)")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        let (news, tell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        source.setEventHandler {
            var events = [UInt8](repeating: 0, count: 1 << 16)
            while read(descriptor, &events, events.count) > 0 {}
            tell.yield()
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
        defer { source.cancel() }
        tell.yield()
        for await _ in news where try await isThere() { return }
        throw CancellationError()
    }
}

import Foundation
import Glibc
import IDCardCore
import IDCardPipeline
import Testing

/// What is opened as a source file.
@Suite struct SourceFileTests {
    private static func identity(_ path: String, expected: FileIdentity? = nil) throws -> FileIdentity {
        let file = try SourceFile(path: path, expected: expected)
        return file.identity
    }

    private static func reason(_ path: String, expected: FileIdentity?) -> ReasonCode? {
        do throws(SourceFile.Failure) {
            _ = try SourceFile(path: path, expected: expected)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("Only the file that was expected is opened, and no link to it; without an expectation links are followed")
    func expected() throws {
        let folder = NSTemporaryDirectory() + "/idcard-source-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (path, other, link) = (folder + "/a", folder + "/b", folder + "/link")
        try Data("one".utf8).write(to: URL(filePath: path))
        try Data("two".utf8).write(to: URL(filePath: other))
        let identity = try Self.identity(path)
        #expect(try Self.identity(path, expected: identity) == identity)
        #expect(symlink(path, link) == 0)
        #expect(try Self.identity(link).inode == identity.inode)
        var atLink = identity
        atLink.path = Redacted(link)
        #expect(Self.reason(link, expected: atLink) == .sourceChanged)
        #expect(rename(other, path) == 0)
        #expect(Self.reason(path, expected: identity) == .sourceChanged)
        #expect(unlink(path) == 0)
        #expect(Self.reason(path, expected: identity) == .sourceUnreadable)
    }

    @Test("An input whose file was exchanged is refused, and nothing of it is kept")
    func exchanged() async throws {
        let harness = try PipelineHarness(.memory)
        var item = try harness.photo("a", "front;one")
        item.expected = try Self.identity(item.path.reveal())
        _ = try harness.photo("a", "front;another")
        let result = try await harness.serve { try await $0.take(item) }
        guard case .refused(let reason, _) = result else {
            Issue.record("not refused: \(result)")
            return
        }
        #expect(reason == .sourceChanged)
        #expect(try await harness.states() == [])
    }

    @Test("A time beyond the years that fit is read all the same, and stays the same")
    func farFuture() throws {
        let path = NSTemporaryDirectory() + "/idcard-source-\(UUID().uuidString)"
        try Data("one".utf8).write(to: URL(filePath: path))
        defer { unlink(path) }
        let time = timespec(tv_sec: 10_413_792_000, tv_nsec: 5)
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        #expect(try Self.identity(path) == Self.identity(path))
        #expect(FileIdentity.nanoseconds(timespec(tv_sec: 1, tv_nsec: 5)) == 1_000_000_005)
    }
}

import Foundation
import Glibc
import Subprocess
import TestSupport
import Testing

/// A folder that is watched, in the home of a tool.
struct Inbox {
    static let delivered = #""state":"delivered""#
    static let mark = ".idcard-pipeline-sandbox"

    let tool: Tool
    let folder: URL

    init() throws {
        self.tool = try Tool()
        self.folder = try self.tool.folder("in")
    }

    /// Serves both endpoints while a function runs, with a configuration that watches the folder.
    ///
    /// - Parameter watch: further keys of `watch`.
    func serving(
        _ watch: String = "",
        _ others: [String] = [],
        verifier: MarkVerifier = MarkVerifier(),
        _ body: (_ file: [String]) async throws -> Void
    ) async throws {
        try await self.tool.servingBoth(with: self.configuration(watch, others), verifier: verifier, body)
    }

    func configuration(_ watch: String, _ others: [String] = []) -> RemoteConfiguration {
        let more = watch.isEmpty ? "" : ", " + watch
        let line = "watch: {folders: [\(self.folder.path)], quiet_time: 100ms, sidecar_wait: 0s\(more)}"
        return RemoteConfiguration(others: [line] + others)
    }

    /// Watches while a function looks at what is said on either output, and sends signals.
    ///
    /// - Returns: all that was said.
    @discardableResult
    func watching(
        _ file: [String],
        _ variables: [String: String] = [:],
        ends expected: Int32 = 143,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (_ lines: ErrorLines, _ send: @escaping (Signal) throws -> Void) async throws -> Void
    ) async throws -> [String] {
        var seen: [String] = []
        let wrapper = ["/bin/sh", "-c", "exec \"$@\" >&2", "sh"]
        let command = ["watch", "--format", "jsonl"] + file
        let status = try await self.tool.running(command, variables, wrapper: wrapper) { lines, send in
            try await body(lines, send)
            while try await lines.next() != nil {}
            seen = lines.seen
        }
        #expect(status == expected, "\(seen)", sourceLocation: sourceLocation)
        return seen
    }

    /// Watches until a line is said on either output, and ends the watch then.
    @discardableResult
    func watching(_ file: [String], _ variables: [String: String] = [:], until text: String) async throws -> [String] {
        try await self.watching(file, variables) { lines, send in
            #expect(try await lines.line(containing: text) != nil)
            try send(.terminate)
        }
    }

    /// Writes a file below the folder under another name, and moves it to its own.
    ///
    /// - Parameter taken: the modification time that it comes with; `nil` for now.
    func bring(_ name: String, _ content: Data, taken: Date? = nil) throws {
        let target = self.folder.appending(path: name)
        let parent = target.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        let temporary = self.tool.home.appending(path: "arriving")
        try content.write(to: temporary)
        let time = taken.map { [FileAttributeKey.modificationDate: $0] }
        if let time { try FileManager.default.setAttributes(time, ofItemAtPath: temporary.path) }
        try #require(rename(temporary.path, target.path) == 0)
    }

    func bring(_ name: String, _ text: String) throws { try self.bring(name, Data(text.utf8)) }

    func bring(_ name: String, _ photo: MarkedPhoto) throws { try self.bring(name, photo.jpeg) }

    /// The files below the folder but for the mark of the sandbox, sorted.
    func files() throws -> [String] {
        let all = FileManager.default.enumerator(atPath: self.folder.path)?.compactMap { $0 as? String } ?? []
        return all.filter { name in
            // What has gone meanwhile is none.
            let type = try? FileManager.default.attributesOfItem(atPath: self.folder.path + "/" + name)[.type]
            return type as? FileAttributeType == .typeRegular && name != Self.mark
        }.sorted()
    }

    /// Looks until a file lies below the folder.
    func arrival(of name: String) async throws {
        while try !self.files().contains(name) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

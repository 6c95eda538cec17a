import Foundation
import IDCardPipeline
import Logging

@testable import IDCardTriggers

/// A watch over one folder of a test, with short waits.
struct Watching {
    let folder: TemporaryFolder
    let intake: FakeIntake
    let events = WatchEvents()
    var settings: WatchSettings
    var roots: [String]
    var faults = NotifierFaults()

    init(
        _ folder: TemporaryFolder? = nil,
        intake: FakeIntake = FakeIntake(),
        change: (inout WatchSettings) -> Void = { _ in }
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        try folder.makeFolder("in")
        self.folder = folder
        self.intake = intake
        self.roots = [folder["in"]]
        self.settings = Self.settings
        change(&self.settings)
    }

    /// Settings whose waits are short.
    static var settings: WatchSettings {
        var settings = WatchSettings(inputs: ImageRules.options())
        settings.quietTime = .milliseconds(200)
        settings.pollInterval = .milliseconds(50)
        settings.sidecarWait = .milliseconds(200)
        settings.retryBase = .milliseconds(20)
        settings.retryCap = .milliseconds(100)
        settings.returnInterval = .milliseconds(20)
        return settings
    }

    /// The watch, not yet running.
    func makeWatch(logger: Logger = Logger(label: "watch") { _ in SwiftLogNoOpLogHandler() }) throws -> FolderWatch {
        let events = self.events
        return try FolderWatch(
            roots: self.roots,
            settings: self.settings,
            intake: self.intake,
            logger: logger,
            clock: .continuous,
            faults: self.faults,
            observer: { events.add($0) }
        )
    }

    /// Runs the watch beside a test, and ends it when the test is done.
    func run(logger: Logger? = nil, _ body: () async throws -> Void) async throws {
        let watch = try logger.map { try self.makeWatch(logger: $0) } ?? self.makeWatch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await watch.run() }
            let result: Result<Void, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            group.cancelAll()
            try await group.waitForAll()
            try result.get()
        }
    }

    /// The files below a folder of the test, sorted; folders are left out.
    func files(_ below: String = "in") -> [String] {
        let walk = FileManager.default.enumerator(atPath: self.folder[below])
        var files: [String] = []
        while let path = walk?.nextObject() as? String {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: self.folder[below] + "/" + path, isDirectory: &isFolder)
            if !isFolder.boolValue { files.append(path) }
        }
        return files.sorted()
    }

    /// Writes an image of different bytes for each number.
    func image(_ path: String, _ number: Int = 0, size: Int = 64) throws {
        var bytes = ImageRules.jpegStart + Array("\(number)".utf8)
        bytes += Array(repeating: 7, count: max(0, size - bytes.count))
        try self.folder.write(path, bytes: bytes)
    }

    /// What a refused file's note says.
    func note(_ path: String) throws -> [String: String] {
        let data = try Data(contentsOf: URL(fileURLWithPath: self.folder[path]))
        return try JSONDecoder().decode([String: String].self, from: data)
    }
}

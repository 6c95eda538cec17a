import CardEngine
import CardModel
import Dispatch
import Foundation
import Glibc
import TestSupport

@testable import CardInput

/// A watch over the folder `in` of a test, by a clock of its own.
struct Watching: Sendable {
    let folder: TemporaryFolder
    let pipeline: FakePipeline
    let reports = WatchReports()
    let time = ManualTime(start: Timestamp(millisecondsSinceEpoch: 1_700_000_000_000))
    let options: WatchOptions
    /// The identity of the sandbox that watches.
    var sandbox = "sandbox-1"
    /// How what blocks in a folder is run.
    var perform: FolderWatch.Perform = { SourceFile.threads.async(execute: $1) }

    /// Writes photos, each of other bytes.
    init(
        _ folder: TemporaryFolder? = nil,
        pipeline: FakePipeline = FakePipeline(),
        photos: [String] = [],
        change: (inout WatchOptions) -> Void = { _ in }
    ) throws {
        let folder = folder ?? TemporaryFolder()
        try folder.makeFolder("in/LOAN-9")
        var options = WatchOptions(folders: [folder["in"]], inputs: Listing.options())
        options.sidecar = .none
        options.quietTime = .zero
        change(&options)
        (self.folder, self.pipeline, self.options) = (folder, pipeline, options)
        for (index, path) in photos.enumerated() { try self.photo(path, index + 1) }
    }

    /// A watch that does not run yet.
    func makeWatch() -> FolderWatch {
        FolderWatch(
            options: self.options,
            sandbox: self.sandbox,
            time: EngineTime(
                now: { self.time.now },
                steady: { self.time.elapsed },
                sleep: { try await self.time.sleep($0) }
            ),
            admit: { try await self.pipeline.take($0, $1) },
            report: { self.reports.add($0) },
            perform: self.perform
        )
    }

    /// Runs the watch beside a test, which begins after so many scans and files put somewhere and ends the watch.
    func run(
        afterScans scans: Int = 0,
        afterPlaced placed: Int = 0,
        _ body: (FolderWatch) async throws -> Void
    ) async throws {
        let watch = self.makeWatch()
        self.reports.begin()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { self.reports.end() }
                try await watch.run()
            }
            await self.reports.wait(forScans: scans)
            await self.reports.wait(forPlaced: placed)
            let result: Result<Void, any Error>
            do { result = .success(try await body(watch)) } catch { result = .failure(error) }
            await watch.stop()
            try await group.waitForAll()
            try result.get()
        }
    }

    /// Runs the watch until so many files have been put somewhere.
    func run(untilPlaced count: Int) async throws {
        try await self.run(afterPlaced: count) { _ in }
    }

    /// Lets time pass for a watch that has looked at all there is.
    func pass(_ duration: Duration, _ watch: FolderWatch) async {
        await self.scan(watch)
        self.time.pass(duration)
        await self.scan(watch)
    }

    /// Has the watch scan its folder now, and returns once all that is due has been looked at, or the folder is found
    /// to be missing.
    func scan(_ watch: FolderWatch) async {
        await watch.makeScansDue()
        while true {
            let count = self.reports.all.count
            guard await watch.isScanning, !self.reports.isOver, !Task.isCancelled else { return }
            // Of a folder that is still missing nothing is told.
            if await watch.lacksFolder { await Task.yield() } else { await self.reports.wait { $0.count > count } }
        }
    }

    /// Returns once inotify has told all that has happened so far: what is written now is taken after it.
    func catchUp(_ name: String = "mark") async throws {
        let path = "LOAN-9/\(name).jpg"
        try self.photo("in/" + path, 999)
        let file = Redacted(self.folder["in/" + path])
        await self.reports.wait { $0.contains { if case .placed(file, _) = $0 { true } else { false } } }
    }

    /// The files below a folder of the test, sorted; folders and the mark of the sandbox are left out.
    func files(_ below: String = "in") -> [String] {
        let walk = FileManager.default.enumerator(atPath: self.folder[below])
        var files: [String] = []
        while let path = walk?.nextObject() as? String {
            var status = stat()
            if lstat(self.folder[below] + "/" + path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR,
                path != WatchMark.name
            {
                files.append(path)
            }
        }
        return files.sorted()
    }

    /// Writes a photo, of different bytes for each number.
    func photo(_ path: String, _ number: Int = 0) throws {
        try self.folder.write(path, bytes: Listing.jpegStart + Array("\(number)".utf8))
    }

    /// What a refused file's note says.
    func note(_ path: String) throws -> [String: String] {
        let data = try Data(contentsOf: URL(fileURLWithPath: self.folder[path]))
        return try JSONDecoder().decode([String: String].self, from: data)
    }
}

extension FolderWatch {
    /// Has all folders scanned as if the time of the next scan had come.
    func makeScansDue() {
        for index in self.roots.indices { self.roots[index].nextScan = .zero }
        self.wake()
    }

    /// Whether a scan is due or under way.
    fileprivate var isScanning: Bool { self.roots.contains { $0.nextScan == nil || $0.nextScan == .zero } }

    /// Whether the last scan found one of the folders to be missing.
    fileprivate var lacksFolder: Bool { self.roots.contains { $0.real == nil } }
}

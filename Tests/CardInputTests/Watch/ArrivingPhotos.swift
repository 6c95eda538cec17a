import CardEngine
import CardModel
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CardInput
@testable import CardStore

/// Clerks who photograph cards with cameras of every kind, and bring the files into two folders that two processes of
/// one sandbox watch, in lists and by HTTP.
final class ArrivingPhotos {
    /// A photo file: what it shows, and what its file system says of its time.
    private struct File {
        let number: String
        let side: CardSide
        let serial: Int
        /// Seconds since the epoch, as FAT, a clock that was never set, one that runs ahead, or a copy have it.
        var modified: Int

        var bytes: [UInt8] { Listing.jpegStart + Array("\(self.number) \(self.side) \(self.serial)".utf8) }
    }

    struct Arrival {
        /// Its number and side.
        let key: String
        let side: CardSide
        /// When its file says that it was taken, if that counts.
        let taken: Timestamp?
    }

    /// The cards that have arrived.
    final class Arrived: Sendable {
        let cards = Mutex<[CardID: Arrival]>([:])

        func note(_ item: Photo, _ outcome: Admitted, at now: Timestamp) {
            guard !outcome.isDuplicate, case .file(let file) = item.location else { return }
            let time = Timestamp(millisecondsSinceEpoch: file.modifiedNanoseconds / 1_000_000)
            let counts = time.millisecondsSinceEpoch > 978_307_200_000 && time <= now
            let side: CardSide = item.path.hasSuffix("back.jpg") ? .back : .front
            let key = "\(item.metadata.businessNumber) \(side)"
            self.cards.withLock { $0[outcome.card] = Arrival(key: key, side: side, taken: counts ? time : nil) }
        }
    }

    /// A process and the folder that it watches.
    private struct Clerk {
        let photos: StoredPhotos
        let watching: Watching
        var watch: FolderWatch?
        /// How many files have been put into the folder.
        var brought = 0

        var folder: TemporaryFolder { self.watching.folder }
    }

    private var clerks: [Clerk] = []
    let arrived = Arrived()
    private var random: SeededRandom
    /// Photos that were taken and have not arrived.
    private var pending: [File] = []
    private var made = 0
    var skipped = 0
    var chosen = 0

    init(seed: UInt64, layout: DeliveryLayoutKind) async throws {
        self.random = SeededRandom(seed: seed)
        var settings = EngineSettings()
        settings.policy = CasePolicy(layout: layout)
        (settings.frontWait, settings.batchWait, settings.patience) = (.zero, .zero, .seconds(2))
        settings.retry = RetryPolicy(base: .seconds(36_000), cap: .seconds(36_000))
        let late = Mutex((random: SeededRandom(seed: seed), keys: Set<String>()))
        let first = try await StoredPhotos(settings: settings) { delivery in
            // Some answers come late: then the next photo may be there.
            let isLate = late.withLock {
                $0.keys.insert(delivery.idempotencyKey).inserted && Int.random(in: 0..<100, using: &$0.random) < 15
            }
            return isLate ? .failed(.specimen(.transient)) : nil
        }
        for (photos, mode) in [(first, WatchOptions.Mode.polling), (try await first.another(), .automatic)] {
            let pipeline = photos.pipeline { [arrived] in arrived.note($0, $1, at: photos.now) }
            let folder = TemporaryFolder(in: TemporaryFolder.anyTimes)
            let watching = try Watching(folder, pipeline: pipeline) { $0.mode = mode }
            self.clerks.append(Clerk(photos: photos, watching: watching))
        }
    }

    var process: StoredPhotos { self.clerks[0].photos }
    var arrivals: Int { self.arrived.cards.withLock(\.count) }

    /// Runs both watches beside a body.
    func watch(_ body: () async throws -> Void) async throws {
        let (first, second) = (self.clerks[0].watching, self.clerks[1].watching)
        try await first.run(afterScans: 1) { one in
            try await second.run(afterScans: 1) { other in
                (self.clerks[0].watch, self.clerks[1].watch) = (one, other)
                try await body()
            }
        }
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self.random) < percent }

    private func pass(upTo seconds: Int) {
        self.process.pass(.milliseconds(Int.random(in: 0...seconds * 1000, using: &self.random)))
    }

    private var second: Int { Int(self.process.now.millisecondsSinceEpoch / 1000) }

    // MARK: Steps

    func step() async throws {
        let count = Int.random(in: 1...12, using: &self.random)
        while self.pending.count < 40 + count {
            self.pass(upTo: 8)
            self.takePhoto()
        }
        // What was taken now may come before what was taken long ago.
        self.pending.shuffle(using: &self.random)
        let files = Array(self.pending.suffix(count))
        self.pending.removeLast(count)
        try await self.bring(files)
        if self.chance(30) { try await self.bringAgain() }
        if self.chance(70) { try await self.clerks.randomElement(using: &self.random)?.photos.deliver() }
    }

    private func takePhoto() {
        self.made += 1
        let number = "N\(Int.random(in: 0..<20, using: &self.random))"
        let side: CardSide = self.chance(70) ? .front : .back
        let modified =
            switch Int.random(in: 0..<20, using: &self.random) {
            case 0: 315_532_800 + self.second % 1000
            case 1: self.second + 8 * 3600
            case 2: Int.max
            case 3: -11_644_473_600
            case 4...6: self.second / 2 * 2
            default: self.second
            }
        self.pending.append(File(number: number, side: side, serial: self.made, modified: modified))
    }

    private func bring(_ files: [File]) async throws {
        self.pass(upTo: 3)
        let clerk = Int.random(in: 0..<2, using: &self.random)
        switch Int.random(in: 0..<10, using: &self.random) {
        case 0: try await self.bringList(files, clerk)
        case 1: for file in files { try await self.upload(file, clerk) }
        default:
            let isAtOnce = self.chance(95)
            for file in files {
                try self.put(file, clerk)
                if self.chance(20) { try self.put(self.copy(of: file), clerk) }
                guard !isAtOnce else { continue }
                await self.look(clerk)
                self.pass(upTo: 3)
            }
            await self.look(clerk)
        }
    }

    /// Has a process take in what its folder holds; inotify tells of it, where it is asked.
    private func look(_ clerk: Int) async {
        let clerk = self.clerks[clerk]
        if let watch = clerk.watch, clerk.watching.options.mode == .polling { await clerk.watching.scan(watch) }
        await clerk.watching.reports.wait(forPlaced: clerk.brought)
    }

    /// The same photo in a file of its own, whose time may be that of the copy.
    private func copy(of file: File) -> File {
        var copy = file
        if self.chance(50) { copy.modified = self.second }
        return copy
    }

    /// Moves a file into a watched folder: at once, as copying programs do under a name of their own, or to be renamed.
    private func put(_ file: File, _ clerk: Int) throws {
        let path = try self.write(file, "out", clerk)
        let (folder, name) = (self.clerks[clerk].folder, path.dropFirst(4))
        try folder.makeFolder("in/\(file.number)")
        switch Int.random(in: 0..<3, using: &self.random) {
        case 0: try self.move([path, "in/\(name)"], clerk)
        case 1: try self.move([path, "in/\(file.number)/.\(self.made).jpg.X7a9Qe", "in/\(name)"], clerk)
        default: try self.move([path, "in/\(file.number)/IMG_\(self.made)\(file.side).jpg", "in/\(name)"], clerk)
        }
        self.clerks[clerk].brought += 1
    }

    /// Writes a file and gives it its time; returns its path below the clerk's folder.
    private func write(_ file: File, _ below: String, _ clerk: Int) throws -> String {
        self.made += 1
        let path = "\(below)/\(file.number)/\(self.made)\(file.side).jpg"
        try self.clerks[clerk].folder.write(path, bytes: file.bytes)
        try self.clerks[clerk].folder.setTime(path, file.modified)
        return path
    }

    private func move(_ paths: [String], _ clerk: Int) throws {
        let folder = self.clerks[clerk].folder
        for (path, next) in zip(paths, paths.dropFirst()) where rename(folder[path], folder[next]) != 0 {
            // The watch may have been faster with the name that it had for a moment.
            try #require(errno == ENOENT && !path.hasPrefix("out"))
        }
    }

    private func bringList(_ files: [File], _ clerk: Int) async throws {
        let list = "list-\(self.made)"
        for file in files { _ = try self.write(file, list, clerk) }
        let clerk = self.clerks[clerk]
        for _ in 0..<(self.chance(50) ? 2 : 1) {
            let groups = try clerk.folder.listing(list).list.groups
            try await clerk.photos.take(groups) { [arrived] in arrived.note($0, $1, at: clerk.photos.now) }
        }
    }

    private func upload(_ file: File, _ clerk: Int) async throws {
        let photos = self.clerks[clerk].photos
        let metadata = CardMetadata(businessNumber: BusinessNumber(stored: file.number))
        let image = Photo.Location.bytes(Data(file.bytes), ContentDigest(of: Data(file.bytes)))
        let outcome = try await photos.receive(Photo(image, metadata: metadata))
        guard !outcome.isDuplicate else { return }
        let arrival = Arrival(key: "\(file.number) \(file.side)", side: file.side, taken: nil)
        self.arrived.cards.withLock { $0[outcome.card] = arrival }
    }

    /// Moves files that were put away back into a watched folder, which may be that of the other process.
    private func bringAgain() async throws {
        let (from, to) = (Int.random(in: 0..<2, using: &self.random), Int.random(in: 0..<2, using: &self.random))
        let (source, target) = (self.clerks[from].folder, self.clerks[to].folder)
        for path in self.clerks[from].watching.files("in/done").shuffled(using: &self.random).prefix(3) {
            try target.makeFolder("in/" + String(path.prefix { $0 != "/" }))
            try #require(rename(source["in/done/" + path], target["in/" + path]) == 0)
            self.clerks[to].brought += 1
        }
        await self.look(to)
    }

    /// Brings what has not arrived, and lets late answers come.
    func settle() async throws {
        try await self.bring(self.pending)
        self.pending = []
        for _ in 0..<4 {
            self.process.pass(.seconds(40_000))
            for clerk in self.clerks { try await clerk.photos.deliver() }
        }
    }
}

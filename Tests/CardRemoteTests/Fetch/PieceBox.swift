import CardModel
import Foundation
import Testing

@testable import CardRemote

/// Keeps pieces by the rules of the sandbox, and survives what the fetcher does not.
actor PieceBox {
    /// A failure of the store.
    struct Full: Error, Equatable {}

    private(set) var version: FetchedVersion?
    private var pieces: [Int: Data] = [:]
    /// How many pieces were kept, one kept twice counted twice.
    private(set) var keeps = 0
    /// How many bytes were kept, those kept twice counted twice.
    private(set) var bytesKept = 0
    private var room = Int.max

    /// Refuses pieces after so many.
    func fill(after keeps: Int) { self.room = keeps }

    func keep(_ bytes: Data, at offset: Int, of version: FetchedVersion) throws {
        #expect((1...1_048_576).contains(bytes.count))
        guard self.keeps < self.room else { throw Full() }
        self.keeps += 1
        self.bytesKept += bytes.count
        let isAnother = version.validator == nil && offset == 0
        let joined = isAnother ? nil : self.joined(with: version)
        if joined == nil { self.pieces = [:] }
        self.version = joined ?? version
        let range = offset..<offset + bytes.count
        let overlaps = self.pieces.contains { ($0.key..<$0.key + $0.value.count).overlaps(range) }
        #expect(!overlaps, "a piece at \(range) overlaps another")
        self.pieces[offset] = bytes
    }

    /// The version there is with what another answer says of it; `nil` if that speaks of other bytes.
    private func joined(with other: FetchedVersion) -> FetchedVersion? {
        guard let own = self.version, own.validator == other.validator else { return nil }
        if let size = own.byteCount, let said = other.byteCount, size != said { return nil }
        return FetchedVersion(validator: own.validator, byteCount: own.byteCount ?? other.byteCount)
    }

    var count: Int { self.pieces.values.reduce(0) { $0 + $1.count } }

    /// The image; `nil` if there is a gap, or another number of bytes than was announced.
    var image: [UInt8]? {
        var image: [UInt8] = []
        for (offset, piece) in self.pieces.sorted(by: { $0.key < $1.key }) {
            guard offset == image.count else { return nil }
            image += piece
        }
        return image.count == self.version?.byteCount ?? image.count ? image : nil
    }

    private var request: (kept: [Range<Int>], version: FetchedVersion?) {
        guard self.version?.validator != nil, !self.pieces.isEmpty else { return ([], nil) }
        let ranges = self.pieces.sorted { $0.key < $1.key }.map { $0.key..<$0.key + $0.value.count }
        let kept = ranges.reduce(into: [Range<Int>]()) { kept, range in
            if let last = kept.last, last.upperBound == range.lowerBound {
                kept[kept.count - 1] = last.lowerBound..<range.upperBound
            } else {
                kept.append(range)
            }
        }
        return (kept, self.version)
    }

    /// Makes one attempt on an image, with what is there of it: as after a restart.
    nonisolated func fetch(_ url: String, with fetcher: ImageFetcher) async throws -> FetchOutcome {
        let (kept, version) = await self.request
        let request = FetchRequest(address: Redacted(url), stored: kept, version: version)
        let outcome = try await fetcher.fetch(request) { try await self.keep($0, at: $1, of: $2) }
        if case .fetched = outcome { #expect(await self.image != nil, "what was fetched has a gap") }
        return outcome
    }
}

/// What the tests fetch, and how.
enum Specimen {
    /// The name of the host; it leads to this machine.
    static let host = "images.example.com"
    /// Part of path and query of every URL, to be found nowhere else: another suite dumps the event loops, and looks for
    /// "canary".
    static let canary = "linnet-signature"

    /// Bytes that begin as a JPEG does, different for every seed.
    static func image(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
        var state = UInt32(seed)
        // Of a length that shares no factor with that of pieces: two pieces exchanged are not the same.
        let block = (0..<65_521).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
        var image: [UInt8] = [0xFF, 0xD8, 0xFF]
        while image.count < count { image += block }
        return Array(image.prefix(count))
    }

    static func url(port: Int, scheme: String = "http", host: String = Specimen.host) -> String {
        "\(scheme)://\(host):\(port)/\(self.canary).jpg?sig=\(self.canary)"
    }

    /// Settings that let the tests' host through.
    static func settings(port: Int) -> FetchSettings {
        var settings = FetchSettings()
        settings.hosts = [self.host]
        settings.allowedAddresses = ["127.0.0.1"]
        settings.allowsHTTP = true
        settings.ports = ["\(port)"]
        return settings
    }

    /// A name service that has the same addresses for all names.
    static func resolver(_ addresses: String...) -> HostResolver {
        HostResolver { _ in addresses.compactMap { IPAddress($0) } }
    }

    /// Runs a test with a fetcher that asks for one mebibyte at a time, and shuts it down afterwards.
    static func withFetcher<Value>(
        _ settings: FetchSettings,
        resolver: HostResolver = Specimen.resolver("127.0.0.1"),
        maxBytes: Int = 50_000_000,
        times: ImageFetcher.Times = ImageFetcher.Times(),
        run: (ImageFetcher) async throws -> Value
    ) async throws -> Value {
        let fetcher = try ImageFetcher(
            settings,
            maxBytes: maxBytes,
            resolver: resolver,
            times: times,
            rangeBytes: 1_048_576,
            isImage: { $0.starts(with: [0xFF, 0xD8, 0xFF]) }
        )
        let result: Result<Value, any Error>
        do { result = .success(try await run(fetcher)) } catch { result = .failure(error) }
        await fetcher.shutdown()
        return try result.get()
    }
}

extension FetchOutcome {
    var isFetched: Bool { if case .fetched = self { true } else { false } }
    var failure: RemoteFailure? { if case .failed(let failure) = self { failure } else { nil } }

    var refusal: ReasonCode? {
        switch self {
        case .forbidden(let error), .unusable(let error): error.code
        case .fetched, .failed, .interrupted: nil
        }
    }

    var words: String {
        switch self {
        case .fetched, .interrupted: ""
        case .failed(let failure): "\(failure) \(failure.message.text())"
        case .forbidden(let error), .unusable(let error): "\(error) \(error.message.text())"
        }
    }
}

import Foundation
import IDCardCore
import IDCardPipeline
import Synchronization

@testable import IDCardFetch

/// What the tests fetch, and how.
enum Specimen {
    /// The name of the host; it leads to this machine.
    static let host = "images.example.com"
    /// Part of path and query of every URL, to be found nowhere else.
    static let canary = "canary-signature"

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

    /// The URL of an image.
    static func url(port: Int, scheme: String = "http", host: String = Specimen.host) -> String {
        "\(scheme)://\(host):\(port)/\(self.canary).jpg?sig=\(self.canary)"
    }

    /// Settings that let the tests' host through, in small ranges.
    static func settings(port: Int) throws -> FetchSettings {
        var settings = FetchSettings()
        settings.hosts = [try HostPattern(self.host)]
        settings.allowedAddresses = [try AddressBlock("127.0.0.1")]
        settings.allowsHTTP = true
        settings.ports = [port]
        settings.parallelAbove = 1_048_576
        settings.parallelRanges = 3
        // A busy machine may take longer than a service may.
        settings.connectTimeout = .seconds(20)
        settings.timeout = .seconds(50)
        return settings
    }

    /// A fetcher that finds all names on this machine.
    static func fetcher(
        _ settings: FetchSettings,
        addresses: [String] = ["127.0.0.1"]
    ) throws -> URLImageFetcher {
        try self.fetcher(settings, resolver: HostResolver { _ in addresses.compactMap { IPAddress($0) } })
    }

    /// A fetcher with a name service of its own.
    static func fetcher(_ settings: FetchSettings, resolver: HostResolver) throws -> URLImageFetcher {
        try URLImageFetcher(
            settings: settings,
            resolver: resolver,
            now: { Timestamp(millisecondsSinceEpoch: 1_704_067_200_000) },
            isImage: { $0.starts(with: [0xFF, 0xD8, 0xFF]) }
        )
    }

    /// Serves an image, and works on it once.
    static func fetch(
        from host: SpecimenHost,
        into box: PieceBox = PieceBox(),
        change: (inout FetchSettings) throws -> Void = { _ in }
    ) async throws -> ImageFetcher.Outcome? {
        var outcome: ImageFetcher.Outcome?
        try await host.serve { port in
            var settings = try self.settings(port: port)
            try change(&settings)
            outcome = try await box.fetch(self.url(port: port), with: self.fetcher(settings))
        }
        return outcome
    }
}

extension ImageFetcher.Outcome {
    /// The failure, if it is one.
    var failure: RemoteFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }

    /// The reason of a refusal, if it is one.
    var refusal: ReasonCode? {
        switch self {
        case .refused(let code, _), .unusable(let code, _): code
        case .complete, .failed: nil
        }
    }

    /// All words of it.
    var words: String {
        switch self {
        case .complete: ""
        case .failed(let failure): "\(failure) \(failure.message)"
        case .refused(let code, let message), .unusable(let code, let message): "\(code) \(message)"
        }
    }

    /// Whether it is the end, with these bytes.
    func isComplete(with bytes: [UInt8]) -> Bool {
        self == .complete(ContentDigest(of: bytes))
    }
}

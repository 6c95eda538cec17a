import CardModel
import Foundation
import SystemPackage
import Testing

@testable import CardInput

extension BatchListing {
    /// The photos to take in, in the order of the list.
    var items: [Photo] { self.entries.compactMap(\.item) }

    /// The inputs that are refused, in the order of the list.
    var refused: [RefusedInput] {
        self.entries.compactMap { if case .refuse(let input) = $0 { input } else { nil } }
    }
}

/// Runs a batch source and shows each input as one line: `take LOAN-1 LOAN-1/front.jpg`, `duplicate PATH`,
/// `refuse CODE PATH`, `ignore PATH`.
struct Listing {
    static let jpegStart: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]

    let list: BatchListing
    /// What is said of a list without a photo.
    var emptiness: String? { self.list.emptiness?.text() }
    private let prefix: String

    init(
        _ folder: TemporaryFolder,
        paths: [String],
        manifest: String? = nil,
        options: BatchOptions = Listing.options(),
        limit: Int = 1_000_000
    ) throws {
        var source = BatchSource(paths: paths, manifest: manifest, options: options)
        source.limit = limit
        try self.init(folder, source)
    }

    init(_ folder: TemporaryFolder, _ source: BatchSource) throws {
        self.prefix = folder.path + "/"
        self.list = try source.listing()
    }

    /// Options with what is said of every photo.
    static func options(
        businessNumber: String? = nil,
        userNumber: String? = nil,
        from rule: BusinessNumberRule = .folder
    ) -> BatchOptions {
        var options = BatchOptions()
        options.fields.businessNumber = businessNumber.flatMap { BusinessNumber($0) }
        options.fields.userNumber = userNumber.map { Redacted($0) }
        options.businessNumberRule = rule
        return options
    }

    /// The inputs as lines, paths below the folder of the test.
    var lines: [String] {
        self.list.entries.map { entry in
            switch entry {
            case .admit(let item): "take \(item.metadata.businessNumber) \(self.below(item.name))"
            case .duplicate(let name, _): "duplicate \(self.below(name))"
            case .refuse(let input): "refuse \(input.error.code) \(self.below(input.name))"
            case .ignore(let input): "ignore \(self.below(input.name))"
            }
        }
    }

    /// Checks that the inputs are these, as lines.
    func expect(_ lines: [String], at location: SourceLocation = #_sourceLocation) {
        #expect(self.lines == lines, sourceLocation: location)
    }

    var items: [Photo] { self.list.items }

    /// The names of the files that are taken, in the order in which they count as admitted.
    var order: [String] { self.list.groups.joined().map { FilePath($0.path).name } }

    var metadata: [CardMetadata] { self.items.map(\.metadata) }

    /// The messages of the inputs that are refused, without personal data.
    var messages: [String] { self.list.refused.map { "\($0.error.message)" } }

    private func below(_ name: Redacted<String>) -> String {
        let name = name.reveal()
        return name.hasPrefix(self.prefix) ? String(name.dropFirst(self.prefix.count)) : name
    }
}

extension Photo {
    /// The path of the photo, real and absolute.
    var path: String {
        switch self.location {
        case .file(let identity): identity.path.reveal()
        case .address(let address): address.reveal()
        case .bytes: ""
        }
    }
}

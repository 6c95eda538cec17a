import IDCardCore
import IDCardPipeline
import IDCardTriggers

/// Runs a batch source and shows each input as one line: `take LOAN-1 LOAN-1/front.jpg`, `refuse CODE PATH`, `ignore
/// PATH`.
struct Listing {
    let items: IntakeList
    private let prefix: String

    init(
        _ folder: TemporaryFolder,
        paths: [String],
        manifest: String? = nil,
        options: BatchOptions = ImageRules.options()
    ) throws {
        self.prefix = folder.path + "/"
        self.items = try BatchSource(paths: paths, manifest: manifest, options: options).items()
    }

    /// The inputs as lines, paths below the folder of the test.
    var lines: [String] {
        self.items.map { item in
            var source = item.source.reveal()
            if source.hasPrefix(self.prefix) { source.removeFirst(self.prefix.count) }
            switch item.disposition {
            case .take(let metadata): return "take \(metadata.businessNumber) \(source)"
            case .refuse(let reason, _, _): return "refuse \(reason) \(source)"
            case .ignore: return "ignore \(source)"
            }
        }
    }

    /// The metadata of the inputs that are taken.
    var metadata: [CardMetadata] {
        self.items.compactMap { if case .take(let metadata) = $0.disposition { metadata } else { nil } }
    }

    /// The messages of the inputs that are refused.
    var messages: [String] {
        self.items.compactMap { if case .refuse(_, let message, _) = $0.disposition { message } else { nil } }
    }
}

import IDCardCore
import IDCardPipeline

/// Decides what becomes of each candidate, and that each input appears once.
struct InputSelection: Sendable {
    private struct Key: Hashable {
        var identity: PathBytes
        var businessNumber: BusinessNumber?
    }

    private let candidates: [Candidate]
    private let rows: [ManifestRow]
    private let manifest: PathBytes?
    private let options: BatchOptions
    private let resolver: MetadataResolver
    /// The first row of each file: what it says holds wherever else the file was named.
    private var rowOfFile: [PathBytes: Int] = [:]
    private var namedFiles: Set<PathBytes> = []
    private var namedPaths: Set<PathBytes> = []

    /// Takes all candidates, in their order.
    init(candidates: [Candidate], rows: [ManifestRow], manifest: PathBytes?, options: BatchOptions) {
        self.candidates = candidates
        self.rows = rows
        self.manifest = manifest
        self.options = options
        self.resolver = MetadataResolver(options)
        for candidate in candidates {
            switch candidate.origin {
            case .found: break
            case .named: self.namedFiles.insert(candidate.identity)
            case .row(let index):
                self.namedFiles.insert(candidate.identity)
                if self.rowOfFile[candidate.identity] == nil { self.rowOfFile[candidate.identity] = index }
            }
        }
        self.namedPaths = Set(candidates.map { PathBytes($0.path) })
    }

    /// Lists the inputs.
    ///
    /// - Parameter rule: what becomes of each of them.
    /// - Throws: `BatchSourceError.tooManyInputs`.
    func items(by rule: (IntakeItem) -> IntakeItem) throws(BatchSourceError) -> IntakeList {
        var items = IntakeList()
        var seen: Set<Key> = []
        for start in stride(from: 0, to: self.candidates.count, by: Self.block) {
            let block = self.candidates[start..<min(start + Self.block, self.candidates.count)]
                .filter { !self.isNoInput($0) }
            let dispositions = Halves.map(block, least: BatchSource.leastHalved) { $0.map(self.disposition) }
            for (candidate, disposition) in zip(block, dispositions) {
                guard seen.insert(self.key(of: candidate, disposition)).inserted else { continue }
                guard items.count < self.options.limits.inputs else {
                    throw .tooManyInputs(limit: self.options.limits.inputs)
                }
                items.append(
                    rule(
                        candidate.finding == .address
                            ? IntakeItem(address: ImageAddress(candidate.source), disposition: disposition)
                            : IntakeItem(source: candidate.source, path: candidate.path, disposition: disposition)
                    )
                )
            }
        }
        return items
    }

    /// How many candidates are decided on at a time: what is known of each is packed before the next ones are looked at.
    private static let block = 4096

    /// Whether this is the manifest, or the sidecar of an image that was named beside it (as `run folder/*` does).
    private func isNoInput(_ candidate: Candidate) -> Bool {
        if candidate.identity == self.manifest { return true }
        guard candidate.origin == .named, let image = PathText.name(candidate.path, without: Sidecar.suffix) else {
            return false
        }
        return self.namedPaths.contains(PathBytes(image))
    }

    private func disposition(of candidate: Candidate) -> IntakeItem.Disposition {
        let number = self.resolver.businessNumber(of: candidate, row: self.row(for: candidate))
        let isNamed = self.namedFiles.contains(candidate.identity)
        let name = PathText.name(of: candidate.path)
        switch candidate.finding {
        case .unusable(let message):
            return .refuse(.sourceUnreadable, message: message, of: number)
        case .notAFile:
            return .ignore
        case .strayLink(let message):
            return self.options.isImageName(name) ? .refuse(.sourceUnreadable, message: message, of: number) : .ignore
        case .address: break
        case .file where isNamed || self.options.isImageName(name):
            break
        case .file:
            do {
                let start = try BoundedFile.head(of: candidate.path, count: self.options.limits.sniffBytes)
                guard self.options.recognisesImage(start, name) else { return .ignore }
            } catch {
                let message =
                    "it cannot be opened, so nobody knows whether it is an image; make it readable and run again"
                return .refuse(.sourceUnreadable, message: message, of: number)
            }
        }
        return self.resolver.disposition(of: candidate, row: self.row(for: candidate))
    }

    private func row(for candidate: Candidate) -> ManifestRow? {
        if case .row(let index) = candidate.origin { return self.rows[index] }
        return self.rowOfFile[candidate.identity].map { self.rows[$0] }
    }

    private func key(of candidate: Candidate, _ disposition: IntakeItem.Disposition) -> Key {
        if case .take(let metadata) = disposition {
            Key(identity: candidate.identity, businessNumber: metadata.businessNumber)
        } else {
            Key(identity: candidate.identity, businessNumber: nil)
        }
    }
}

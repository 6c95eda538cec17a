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
    /// Where the files lie that were found by walking, if others were named: one that is both was walked to.
    private var places: [PathBytes: FolderPlace] = [:]

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
        guard candidates.contains(where: { $0.finding == .file && $0.place == nil }) else { return }
        for candidate in candidates {
            // One without a place must not take away what a walk has found.
            if let place = candidate.place { self.places[PathBytes(candidate.path)] = place }
        }
    }

    /// Shows the inputs in their order, each with who said what of it.
    ///
    /// - Throws: `BatchSourceError.tooManyInputs`.
    func forEach(_ body: (IntakeItem, MetadataOrigins) -> Void) throws(BatchSourceError) {
        var seen: Set<Key> = []
        var count = 0
        for start in stride(from: 0, to: self.candidates.count, by: Self.block) {
            let block = self.candidates[start..<min(start + Self.block, self.candidates.count)]
                .filter { !self.isNoInput($0) }
            let decisions = Halves.map(block, least: BatchSource.leastHalved) { $0.map(self.decision) }
            for (candidate, decision) in zip(block, decisions) {
                let disposition = decision.disposition
                guard seen.insert(self.key(of: candidate, disposition)).inserted else { continue }
                guard count < self.options.limits.inputs else {
                    throw .tooManyInputs(limit: self.options.limits.inputs)
                }
                count += 1
                body(
                    candidate.finding == .address
                        ? IntakeItem(address: ImageAddress(candidate.source), disposition: disposition)
                        : IntakeItem(source: candidate.source, path: candidate.path, disposition: disposition),
                    decision.origins
                )
            }
        }
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

    private func decision(of found: Candidate) -> MetadataResolver.Decision {
        var candidate = found
        if candidate.place == nil { candidate.place = self.places[PathBytes(candidate.path)] }
        let row = self.row(for: candidate)
        let name = PathText.name(of: candidate.path)
        switch candidate.finding {
        case .unusable(let message): return self.refusal(of: candidate, row, message)
        case .notAFile: return Self.ignored
        case .strayLink(let message):
            return self.options.isImageName(name) ? self.refusal(of: candidate, row, message) : Self.ignored
        case .address: break
        case .file where self.namedFiles.contains(candidate.identity) || self.options.isImageName(name):
            break
        case .file:
            do {
                let start = try BoundedFile.head(of: candidate.path, count: self.options.limits.sniffBytes)
                guard self.options.recognisesImage(start, name) else { return Self.ignored }
            } catch {
                let message =
                    "it cannot be opened, so nobody knows whether it is an image; make it readable and run again"
                return self.refusal(of: candidate, row, message)
            }
        }
        return self.resolver.decision(of: candidate, row: row)
    }

    private static let ignored = MetadataResolver.Decision(disposition: .ignore)

    private func refusal(of candidate: Candidate, _ row: ManifestRow?, _ message: String) -> MetadataResolver.Decision {
        let number = self.resolver.businessNumber(of: candidate, row: row)
        return MetadataResolver.Decision(disposition: .refuse(.sourceUnreadable, message: message, of: number))
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

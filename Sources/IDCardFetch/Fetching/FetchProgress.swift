import IDCardPipeline

/// What of an image is kept, and of which version.
struct FetchProgress: Sendable {
    /// The version, as it was told to the store: told otherwise, the store would drop what it has.
    var version: FetchedVersion?
    /// The ranges that are kept, sorted and joined.
    private(set) var pieces: [Range<Int>]
    /// How many bytes there are in all, as far as it is known.
    var total: Int?

    /// Takes up what a job has.
    init(_ job: FetchJob) {
        self.version = job.version
        self.pieces = job.version == nil ? [] : RangePlan.joined(job.pieces)
        self.total = job.version?.byteCount
    }

    /// Begins with nothing.
    init() {
        self.pieces = []
    }

    /// How many bytes are kept.
    var count: Int { self.pieces.reduce(0) { $0 + $1.count } }

    /// Whether all bytes are kept.
    var isWhole: Bool { self.total.map { self.missing.isEmpty && $0 > 0 } ?? false }

    /// The ranges that are not kept.
    var missing: [Range<Int>] { RangePlan.missing(from: self.pieces, upTo: self.total ?? .max) }

    /// The validator under which the rest can be asked for; `nil` if there is nothing to go on with.
    var ifRange: String? { self.pieces.isEmpty ? nil : self.version?.ifRange }

    /// Goes on with a version that a server has named: what is kept of another one is forgotten.
    mutating func adopt(_ version: FetchedVersion) {
        if let own = self.version, own.isSame(as: version) {
            self.total = self.total ?? version.byteCount
        } else {
            self.pieces = []
            self.version = version
            self.total = version.byteCount
        }
    }

    /// Notes that ranges are kept now.
    mutating func keep(_ ranges: [Range<Int>]) {
        self.pieces = RangePlan.joined(self.pieces + ranges)
    }
}

/// The reports on the inputs of a run, each made when it is asked for: all at once they would be larger than the run.
struct RunReports: RandomAccessCollection, Sendable, Encodable {
    private let size: Int
    private let report: @Sendable (Int) -> RunCardReport

    /// Describes some reports.
    ///
    /// - Parameters:
    ///   - count: how many there are.
    ///   - report: makes one by its place.
    init(count: Int, report: @escaping @Sendable (Int) -> RunCardReport) {
        self.size = count
        self.report = report
    }

    var startIndex: Int { 0 }
    var endIndex: Int { self.size }
    subscript(index: Int) -> RunCardReport { self.report(index) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for report in self { try container.encode(report) }
    }
}

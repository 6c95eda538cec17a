/// What a metric is, and how it is rendered.
enum MetricKind: Hashable, Sendable {
    /// Only grows; its name ends in `_total`.
    case counter
    /// Goes up and down.
    case gauge
    /// Times, in seconds; its name ends in `_seconds`.
    case time
    /// Values of any other unit.
    case distribution

    /// Whether values fall into buckets.
    var isDistribution: Bool { self == .time || self == .distribution }

    /// What is put after a name.
    var suffix: String {
        switch self {
        case .counter: "_total"
        case .time: "_seconds"
        case .gauge, .distribution: ""
        }
    }

    /// The word of the format.
    var word: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .time, .distribution: "histogram"
        }
    }
}

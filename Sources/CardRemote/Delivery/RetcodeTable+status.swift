package import CardModel

extension RetcodeTable {
    /// The statuses that ``success`` can hold: the backend accepted the document without a code.
    package static let statusesOfSuccess: Set<String> = ["http_200", "http_201", "http_202", "http_204"]

    /// Whether an entry of a list is a status, `http_NNN`.
    package static func isStatus(_ entry: String) -> Bool { entry.hasPrefix("http_") }

    /// Whether ``tokenExpired`` can hold a status: a 4xx that would stop delivery, except 407.
    package static func canMeanToken(_ entry: String) -> Bool {
        Int(entry.dropFirst("http_".count)).map { status in
            (400..<500).contains(status) && status != 407 && BackendMeaning(status: status).isStop
        } ?? false
    }
}

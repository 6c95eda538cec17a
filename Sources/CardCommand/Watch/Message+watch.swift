import CardModel

// Each message stands on one line.
// swift-format-ignore
extension Message {
    static let watchRetake = Self("watch.retake", "the photo cannot be used; take it again")
    static func watchEndpointWorks(_ stage: Stage, _ host: String) -> Self { Self("watch.endpoint_works", "\(stage) \(code: host) works again") }
    static func watchFolderProblem(_ folder: Redacted<String>, _ reason: Message) -> Self { Self("watch.folder_problem", "watched folder \(folder): \(reason)") }
    static func watchFolderWorks(_ folder: Redacted<String>, _ code: ReasonCode) -> Self { Self("watch.folder_works", "watched folder \(folder) works again (\(code))") }
    static func watchPaused(_ reason: Message) -> Self { Self("watch.paused", "photos are not imported for now: \(reason)") }
    static let watchResumed = Self("watch.resumed", "photos are imported again")
    static func watchFileStays(_ folder: Redacted<String>, _ reason: Message) -> Self { Self("watch.file_stays", "watched folder \(folder): a file or link is not imported and stays where it is: \(reason)") }
    static func watchBegins(_ folders: Int) -> Self { Self("watch.begins", one: "watching \(count: folders) folder; end with Ctrl-C", other: "watching \(count: folders) folders; end with Ctrl-C") }
    static func watchCounts(_ counts: String) -> Self { Self("watch.counts", "\(code: counts)") }
    static func watchOverdue(_ cards: Int) -> Self { Self("watch.overdue", one: "\(count: cards) card past its retention is not erased yet; the next round erases it", other: "\(count: cards) cards past their retention are not erased yet; the next round erases them") }
    static func watchSidecarLate(_ card: CardID) -> Self { Self("watch.sidecar_late", "the sidecar came too late: its photo became the card \(card), and that card is already in a delivery or has ended; show the card: idcard-pipeline cards show \(card)") }
}

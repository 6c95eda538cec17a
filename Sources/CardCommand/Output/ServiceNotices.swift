import CardEngine
import CardInput
import CardModel
import CardStore
import Synchronization

/// The messages of a service on standard error: the beginning and the end of each issue, and once each rule that skips names.
final class ServiceNotices: Sendable {
    private let isQuiet: Bool
    /// The open issues: the code by the subject, such as the stage and host of an endpoint.
    private let reported = Mutex<[String: String]>([:])
    /// The reported rules, by the folder or source in which each skipped a name.
    private let reportedRules = Mutex<[String: Set<String>]>([:])

    /// - Parameter isQuiet: whether only issues, and their ends, are reported.
    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    func observe(_ event: PipelineEvent) {
        switch event {
        case .paused(let pause): self.warn(of: "\(pause.stage) \(pause.host)", pause.code, pause.text)
        case .resumed(let stage, let host): self.sayOver("\(stage) \(host)", .watchEndpointWorks(stage, host))
        case .beat(let room):
            guard let issue = room.issue else { return self.sayOver("disk", .watchResumed) }
            self.warn(of: "disk", "\(room)", issue)
        case .overdue(let count):
            // The engine soon continues to erase: the number need not be reported again.
            self.warn(of: "retention", "overdue", .watchOverdue(count))
        case .erasingFailed(let error): self.warn(of: "retention", error.code.rawValue, .runNotErased(error.message))
        case .taken, .refused, .sending, .called, .failed, .changed: break
        }
    }

    /// Reports an issue once, until its code changes.
    private func warn(of subject: String, _ code: String, _ message: Message) {
        let isNew = self.reported.withLock { $0.updateValue(code, forKey: subject) != code }
        if isNew { Console.warn(message) }
    }

    private func sayOver(_ subject: String, _ message: Message) {
        if self.reported.withLock({ $0.removeValue(forKey: subject) }) != nil { Console.say(message) }
    }

    func observe(_ event: WatchEvent) {
        switch event {
        case .problem(let folder, let error): Console.warn(.watchFolderProblem(folder, error.message))
        case .mended(let folder, let code): Console.say(.watchFolderWorks(folder, code))
        case .paused(let error):
            // The heartbeat reports a full disk, also if nothing is watched.
            guard error.code != .diskSpaceLow else { return }
            self.warn(of: "watch", error.code.rawValue, .watchPaused(error.message))
        case .resumed: self.sayOver("watch", .watchResumed)
        case .scanned(let folder, _, let counts):
            self.reportSkipped(counts, in: "folder \(folder.reveal())") { .outputSkippedInFolder(folder, $0) }
        case .leftInPlace(_, let folder, let error):
            // The log of a service names no files, and a folder may hold thousands of one kind.
            guard self.isNew(error.code.rawValue, in: folder.reveal()) else { return }
            Console.warn(.watchFileStays(folder, error.message))
        case .placed, .refused, .leftInPlaceCount: break
        }
    }

    /// Reports the names skipped in a folder or source, but each rule only once: a service scans often, and unfinished
    /// copies come and go.
    func reportSkipped(_ counts: [String: Int], in source: String, _ message: ([String: Int]) -> Message) {
        guard !self.isQuiet else { return }
        let new = counts.filter { self.isNew($0.key, in: source) }
        if !new.isEmpty { Console.notice(message(new)) }
    }

    /// Whether a rule is reported for a folder or source for the first time.
    private func isNew(_ rule: String, in source: String) -> Bool {
        self.reportedRules.withLock { $0[source, default: []].insert(rule).inserted }
    }
}

import CardEngine
import CardInput
import CardModel
import CardStore
import Synchronization

/// What a service says on standard error while it works: what keeps it from working, once, and when that is over.
final class ServiceNotices: Sendable {
    private let told = Mutex<[StageName: String]>([:])

    func observe(_ event: PipelineEvent) {
        switch event {
        case .failed(let stage, let failure) where failure.failureClass == .stop || failure.failureClass == .notSent:
            let isNew = self.told.withLock { $0.updateValue(failure.code, forKey: stage) != failure.code }
            guard isNew else { return }
            Console.standardError("warning: \(stage.rawValue) rests (\(failure.code)): \(failure.message.text())")
        case .changed(let change):
            guard let stage = Self.stage(passedBy: change.state),
                self.told.withLock({ $0.removeValue(forKey: stage) }) != nil
            else { return }
            Console.standardError("\(stage.rawValue) works again")
        case .taken, .refused, .sending, .failed: break
        }
    }

    private static func stage(passedBy state: CardState) -> StageName? {
        switch state {
        case .received: .fetch
        case .verified: .verify
        case .delivered: .deliver
        default: nil
        }
    }

    func observe(_ event: WatchEvent) {
        switch event {
        case .problem(let folder, let error):
            Console.standardError("warning: watched folder \(folder.reveal()): \(error.message.text())")
        case .mended(let folder, let code):
            Console.standardError("watched folder \(folder.reveal()) is in order again (\(code))")
        case .paused(let error):
            Console.standardError("warning: files stay where they are for now: \(error.message.text())")
        case .resumed: Console.standardError("files are taken in again")
        case .placed, .refused, .scanned: break
        }
    }
}

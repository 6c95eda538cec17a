import Foundation
import IDCardCore
import IDCardDelivery
import IDCardPipeline
import IDCardTesting
import OutboundHTTP

/// What happens in one test: how both remote sides misbehave, and how the pipeline is set up.
struct FirePlan: Sendable {
    /// What the verifier does with a request, by its number from 0.
    var verifier: @Sendable (_ request: Int) -> FaultScript = { _ in .answer(FaceIDReplies.answer) }
    /// Everything else about the verifier's server.
    var verifierOptions = FaultServer.Options()
    /// What the backend does with a request, by its number from 0.
    var backend: @Sendable (_ request: Int, _ ledger: Ledger) -> FaultScript = { _, ledger in
        .answer { ledger.answer($0) }
    }
    /// Everything else about the backend's server.
    var backendOptions = FaultServer.Options()
    /// The backend's books.
    var ledger = Ledger()

    /// The limits of the client of either side.
    var http = OutboundHTTPClient.Configuration()
    /// The time for one call of the verifier; generous, so that a busy machine changes nothing.
    var verifierTimeout = Duration.seconds(45)
    /// The time for one attempt of a delivery.
    var backendTimeout = Duration.seconds(45)
    /// How cards are joined.
    var layout = DeliveryLayout.Kind.single
    /// The same for the engine.
    var grouping = DeliveryGrouping.single
    /// What the backend encrypts its answers with.
    var replyEncryption: ReplyEncryption?
    /// The figures of the engine.
    var settings: EngineSettings

    /// Takes remote sides that work, retries without noticeable backoff, and the documented limits otherwise.
    init() {
        var settings = EngineSettings()
        settings.retry = RetryPolicy(base: .milliseconds(1), cap: .milliseconds(5))
        settings.patience = .seconds(40)
        self.settings = settings
    }

    /// Makes the backend follow one script per request; what comes after them is answered by the ledger.
    mutating func backendScripts(_ scripts: @escaping @Sendable (Ledger) -> [FaultScript]) {
        self.backend = { request, ledger in
            let list = scripts(ledger)
            return request < list.count ? list[request] : .answer { ledger.answer($0) }
        }
    }

    /// Makes the verifier follow one script per request; what comes after them is read.
    mutating func verifierScripts(_ scripts: FaultScript...) {
        self.verifier = { $0 < scripts.count ? scripts[$0] : .answer(FaceIDReplies.answer) }
    }
}

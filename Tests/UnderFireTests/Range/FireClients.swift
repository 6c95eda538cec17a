import IDCardCore
import IDCardDelivery
import IDCardPipeline
import IDCardTesting
import IDCardVerification
import OutboundHTTP

/// The clients of one run, joined to the engine's ports as the application joins them.
struct FireClients: Sendable {
    private let range: FireRange
    private let plan: FirePlan
    private let backendPort: Int
    private let verifierHTTP: OutboundHTTPClient
    private let backendHTTP: OutboundHTTPClient

    init(_ range: FireRange, plan: FirePlan, backendPort: Int) {
        self.range = range
        self.plan = plan
        self.backendPort = backendPort
        self.verifierHTTP = OutboundHTTPClient(configuration: plan.http)
        self.backendHTTP = OutboundHTTPClient(configuration: plan.http)
    }

    func shutdown() async {
        await self.verifierHTTP.shutdown()
        await self.backendHTTP.shutdown()
    }

    private func url(_ port: Int, isTLS: Bool) -> String {
        isTLS ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"
    }

    func verifier() throws -> CardVerifier {
        let client = try VerificationClient(
            VerificationClient.Configuration(
                url: self.url(self.range.verifierPort, isTLS: self.plan.verifierOptions.tls != nil),
                apiKey: Redacted("key"),
                apiSecret: Redacted("secret"),
                timeout: self.plan.verifierTimeout
            ),
            http: self.verifierHTTP
        )
        let log = self.range.verifications
        return CardVerifier(
            provider: client.provider,
            parameters: client.parameters,
            minimumEdge: client.limits.minimumEdge
        ) { jpeg in
            let digest = ContentDigest(of: jpeg).hexadecimal
            let outcome = await client.verify(jpeg, boundaryKey: digest)
            log.add(outcome, of: digest)
            if case .failed = outcome { try Task.checkCancellation() }
            return outcome
        }
    }

    func backend() throws -> BusinessBackend {
        let client = try BusinessBackendClient(
            BusinessBackendClient.Configuration(
                url: self.url(self.backendPort, isTLS: self.plan.backendOptions.tls != nil) + "/upload",
                timeout: self.plan.backendTimeout,
                retcodes: RetcodeTable(alreadyExists: [Ledger.known], retryable: ["900001"]),
                replyEncryption: self.plan.replyEncryption
            ),
            http: self.backendHTTP
        )
        let layout = try DeliveryLayout(self.plan.layout, userNumber: Redacted("user-1"))
        let range = self.range
        return BusinessBackend(
            grouping: self.plan.grouping,
            form: { try layout.parts(for: $0, token: Redacted(range.token)) },
            boundary: { try client.boundary(forKey: $0, parts: $1, images: $2) },
            send: { delivery in
                let outcome = await client.send(delivery)
                range.deliveries.add(outcome, of: delivery.idempotencyKey)
                if case .failed(let failure) = outcome, failure.failureClass != .notSent {
                    try Task.checkCancellation()
                }
                return outcome
            },
            hasNewToken: { !$0.contains(.text(range.token, name: "TOKEN")) }
        )
    }
}

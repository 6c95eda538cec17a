import FoundationEssentials
import Hummingbird

/// What the backend answers where.
struct BackendRoutes {
    private struct Health: Encodable {
        let status = "ok"
        let documents: Int
        let running: Int
    }

    private struct Ledger: Encodable {
        let entries: [LedgerEntry]
        let refusals: [RefusalEntry]
    }

    private struct Control: Decodable {
        let accept: String?
    }

    private struct Controlled: Encodable {
        let expired: Int
    }

    let configuration: EmbeddedBackend.Configuration
    let archive: Archive
    let queue: BlockingQueue
    let desk: UploadDesk

    /// The routes.
    func router() -> Router<BackendContext> {
        let router = Router(context: BackendContext.self)
        router.add(middleware: ProblemMiddleware())
        router.post(RouterPath(self.configuration.uploadPath)) { request, context in
            try await self.desk.receive(request, context: context)
        }
        router.get("/healthz") { _, _ in
            let documents = try await self.queue.run { self.archive.entries.count }
            return try JSONReply.response(Health(documents: documents, running: self.desk.running.count))
        }
        router.get("/ledger") { _, context in
            try Self.requireLoopback(context)
            let ledger = try await self.queue.run {
                Ledger(entries: self.archive.entries, refusals: self.archive.refusals)
            }
            return try JSONReply.response(ledger)
        }
        router.post("/control/expire-token") { request, context in
            try Self.requireLoopback(context)
            let body = try await request.body.collect(upTo: 4_096)
            let replacement = try Self.replacement(Array(body.readableBytesView))
            let count = try await self.queue.run { self.archive.expireTokens(accepting: replacement) }
            return try JSONReply.response(Controlled(expired: count))
        }
        return router
    }

    private static func replacement(_ body: [UInt8]) throws -> String? {
        if body.isEmpty { return nil }
        do {
            return try JSONDecoder().decode(Control.self, from: Data(body)).accept
        } catch {
            throw BackendProblem(
                status: .badRequest,
                code: "control_malformed",
                title: "The body is not {\"accept\": \"…\"}."
            )
        }
    }

    private static func requireLoopback(_ context: BackendContext) throws {
        guard context.isFromLoopback else {
            throw BackendProblem(
                status: .forbidden,
                code: "loopback_only",
                title: "This is answered on this machine only."
            )
        }
    }
}

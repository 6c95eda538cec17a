import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Takes uploads: the key, the body, the answer.
struct UploadDesk: Sendable {
    /// How long a sender may go on sending a body that was refused, so that it can read the refusal.
    private static let lingering = TimeAmount.seconds(1)

    /// The keys under way.
    let running = RunningKeys()

    private let configuration: EmbeddedBackend.Configuration
    private let archive: Archive
    private let queue: BlockingQueue
    private let replies: ReplyWriter
    private let logger: Logger

    init(
        configuration: EmbeddedBackend.Configuration,
        archive: Archive,
        queue: BlockingQueue,
        replies: ReplyWriter,
        logger: Logger
    ) {
        self.configuration = configuration
        self.replies = replies
        self.archive = archive
        self.queue = queue
        self.logger = logger
    }

    /// Answers one upload.
    ///
    /// - Throws: ``BackendProblem``: 400 without a usable key or form, 409, 413, 422, or 500 when nothing could be
    ///   stored.
    func receive(_ request: Request, context: BackendContext) async throws -> Response {
        do {
            let key = try Self.key(of: request)
            // Taken at the head, before the body: two bodies under one key must not race each other.
            guard self.running.begin(key) else {
                throw BackendProblem(
                    status: .conflict,
                    code: "key_in_progress",
                    title: "An upload with this Idempotency-Key is under way; wait and send it again.",
                    endsConnection: true
                )
            }
            defer { self.running.end(key) }
            let body = try await self.body(of: request, context: context)
            return try await self.answer(key: key, body: body, request: request)
        } catch let problem as BackendProblem {
            self.logger.info("upload refused", metadata: ["backend.code": "\(problem.code)"])
            if problem.endsConnection { Self.close(context.channel, in: Self.lingering) }
            throw problem
        }
    }

    private func answer(key: String, body: [UInt8], request: Request) async throws -> Response {
        let content = self.content(of: request, body: body)
        let outcome: Archive.Outcome
        do {
            outcome = try await self.queue.run { try self.archive.answer(key: key, content: content) }
        } catch let error as EmbeddedError {
            throw Self.problem(error)
        }
        guard case .answered(let answer, let isReplay) = outcome else {
            throw BackendProblem(
                status: .unprocessableContent,
                code: "key_reused",
                title: "This Idempotency-Key was used with other content; use a new key."
            )
        }
        self.logger.info(
            "upload answered",
            metadata: ["backend.retcode": "\(answer.code)", "backend.replay": "\(isReplay)"]
        )
        var response = try self.replies.response(to: answer)
        if isReplay, let name = HTTPField.Name("Idempotent-Replayed") { response.headers[name] = "true" }
        return response
    }

    private func content(of request: Request, body: [UInt8]) -> UploadContent {
        var fields: [String: [String]] = [:]
        for name in UploadContent.fieldNames {
            guard let header = HTTPField.Name(self.configuration.rawHeaderPrefix + name) else { continue }
            let values = request.headers[values: header]
            if !values.isEmpty { fields[name] = values }
        }
        return UploadContent(
            body: body,
            contentType: request.headers[.contentType],
            contentLength: request.headers[.contentLength],
            disposition: request.headers[.contentDisposition],
            fields: fields
        )
    }

    private func body(of request: Request, context: BackendContext) async throws -> [UInt8] {
        let limit = self.configuration.formLimits.bodyBytes
        let tooLarge = BackendProblem(
            status: .contentTooLarge,
            code: "body_too_large",
            title: "The body has more than \(limit) bytes.",
            endsConnection: true
        )
        if let declared = request.headers[.contentLength].flatMap(Int.init), declared > limit { throw tooLarge }
        let deadline = Self.close(context.channel, in: TimeAmount(self.configuration.bodyTimeout))
        defer { deadline.cancel() }
        do {
            return Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw tooLarge
        }
    }

    @discardableResult
    private static func close(_ channel: any Channel, in delay: TimeAmount) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: delay) { channel.close(promise: nil) }
    }

    private static func key(of request: Request) throws -> String {
        guard let name = HTTPField.Name("Idempotency-Key") else { preconditionFailure("A header's name is a token.") }
        let values = request.headers[values: name]
        guard values.count == 1, let key = IdempotencyKey.parse(values[0]) else {
            throw BackendProblem(
                status: .badRequest,
                code: values.isEmpty ? "key_missing" : "key_malformed",
                title: "An upload needs one Idempotency-Key, a string in quotes (RFC 8941).",
                endsConnection: true
            )
        }
        return key
    }

    private static func problem(_ error: EmbeddedError) -> BackendProblem {
        switch error.code {
        case .formTooLarge:
            BackendProblem(status: .contentTooLarge, code: "form_too_large", title: error.message)
        case .formMalformed:
            BackendProblem(status: .badRequest, code: "form_malformed", title: error.message)
        default:
            BackendProblem(status: .internalServerError, code: "not_stored", title: error.message)
        }
    }
}

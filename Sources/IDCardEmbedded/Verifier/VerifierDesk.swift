import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Answers requests: checks the form, has the card read, words the reply.
final class VerifierDesk: Sendable {
    /// How long a sender may go on sending a body that was refused, so that it can read the refusal.
    private static let lingering = TimeAmount.seconds(1)

    private let configuration: EmbeddedVerifier.Configuration
    private let reader: CardReader
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let accounts: VerifierAccounts
    private let running = Mutex(0)

    init(
        configuration: EmbeddedVerifier.Configuration,
        reader: CardReader,
        logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        self.configuration = configuration
        self.reader = reader
        self.logger = logger
        self.now = now
        self.accounts = VerifierAccounts(secrets: configuration.secrets, now: now)
    }

    /// Answers one request; every fault is a response.
    func answer(
        _ request: Request,
        in dialect: EmbeddedVerifier.Dialect,
        context: VerifierContext
    ) async throws -> Response {
        let mark = RequestMark(now: self.now())
        do {
            guard self.enter() else { throw VerifierFault.concurrency }
            defer { self.leave() }
            let received = try await self.form(of: request, in: dialect, context: context)
            try self.accounts.admit(received)
            let form = try VerifierForm(received, dialect, imageBytes: self.configuration.imageBytes(dialect))
            let text = try await self.text(of: form.image, in: dialect)
            self.logger.info(
                "card read",
                metadata: ["verifier.side": "\(text.sideName)", "verifier.milliseconds": "\(mark.milliseconds)"]
            )
            return try VerifierReplies.response(to: text, in: dialect, mark: mark, withLegality: form.wantsLegality)
        } catch let fault as VerifierFault {
            self.logger.info("request refused", metadata: ["verifier.error": "\(fault.message)"])
            if fault.endsConnection { Self.close(context.channel, in: Self.lingering) }
            return try VerifierReplies.response(to: fault, mark: mark, errorKey: dialect.errorKey)
        }
    }

    private func enter() -> Bool {
        self.running.withLock { count in
            guard count < self.configuration.concurrency else { return false }
            count += 1
            return true
        }
    }

    private func leave() {
        self.running.withLock { $0 -= 1 }
    }

    private func text(of image: [UInt8], in dialect: EmbeddedVerifier.Dialect) async throws -> CardText? {
        do {
            return try await self.reader.text(ofJPEG: image, edges: dialect.edges)
        } catch let error as EmbeddedError {
            switch error.code {
            case .imageUndecodable: throw VerifierFault.imageFormat(dialect)
            case .imageTooLarge: throw VerifierFault.imageSize(dialect)
            default:
                self.logger.error(
                    "card not read",
                    metadata: ["verifier.code": "\(error.code)", "verifier.message": "\(error.message)"]
                )
                throw VerifierFault.internal
            }
        }
    }

    private func form(
        of request: Request,
        in dialect: EmbeddedVerifier.Dialect,
        context: VerifierContext
    ) async throws -> ReceivedForm {
        let body = try await self.body(of: request, in: dialect, context: context)
        var limits = ReceivedForm.Limits()
        limits.bodyBytes = self.configuration.bodyBytes(dialect)
        limits.partBytes = limits.bodyBytes
        do {
            return try ReceivedForm(
                parsing: body,
                contentType: request.headers[.contentType],
                contentLength: request.headers[.contentLength],
                limits: limits
            )
        } catch {
            // The vendor has no word for a form that cannot be read; to its program all parts are missing.
            self.logger.info("form not read", metadata: ["verifier.message": "\(error.message)"])
            throw VerifierFault.missing("api_key")
        }
    }

    private func body(
        of request: Request,
        in dialect: EmbeddedVerifier.Dialect,
        context: VerifierContext
    ) async throws -> [UInt8] {
        let limit = self.configuration.bodyBytes(dialect)
        if let declared = request.headers[.contentLength].flatMap(Int.init), declared > limit {
            throw VerifierFault.bodyTooLarge(dialect)
        }
        let deadline = Self.close(context.channel, in: TimeAmount(self.configuration.bodyTimeout))
        defer { deadline.cancel() }
        do {
            return Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw VerifierFault.bodyTooLarge(dialect)
        }
    }

    @discardableResult
    private static func close(_ channel: any Channel, in delay: TimeAmount) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: delay) { channel.close(promise: nil) }
    }
}

extension CardText? {
    /// The side's name for a log line.
    fileprivate var sideName: String {
        switch self?.side {
        case .front: "front"
        case .back: "back"
        case nil: "none"
        }
    }
}

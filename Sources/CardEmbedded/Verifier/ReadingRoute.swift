import FoundationEssentials
import Hummingbird
import Logging
import MultipartForm
import Synchronization

/// Answers requests: checks the form, reads the card, and makes the reply.
final class ReadingRoute: Sendable {
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

    func router() -> Router<ConnectionContext> {
        let router = Router(context: ConnectionContext.self)
        router.add(
            middleware: RouterRefusals { error in
                guard error.status == .notFound || error.status == .methodNotAllowed else { throw error }
                let answer: JSON = ["error_message": "API_NOT_FOUND"]
                return try Response(.notFound, json: answer, contentType: VerifierFault.contentType)
            }
        )
        for dialect in EmbeddedVerifier.Dialect.allCases {
            router.post(RouterPath(dialect.path)) { request, context in
                try await self.answer(request, in: dialect, context: context)
            }
        }
        return router
    }

    /// Answers one request; every fault becomes a response.
    private func answer(
        _ request: Request,
        in dialect: EmbeddedVerifier.Dialect,
        context: ConnectionContext
    ) async throws -> Response {
        let mark = RequestMark(now: self.now())
        do {
            guard self.enter() else { throw VerifierFault.concurrency }
            defer { self.running.withLock { $0 -= 1 } }
            let limit = dialect.bodyBytes
            let body = try await request.wholeBody(upTo: limit, within: Limits.bodyTime, context: context)
            let received = try ReceivedForm(parsing: body, contentType: request.headers[.contentType])
            try self.accounts.admit(received)
            let form = try VerifierForm(received, dialect)
            var text = try await self.reader.text(ofJPEG: Array(form.image), edges: dialect.edges)
            let (side, milliseconds) = (text?.side.name ?? "none", mark.milliseconds)
            let metadata: Logger.Metadata = ["verifier.side": "\(side)", "verifier.milliseconds": "\(milliseconds)"]
            self.logger.info("card read", metadata: metadata)
            let test = TestName(in: text)
            if test == .failure { throw VerifierFault.unavailable }
            if test == .slow { try await Task.sleep(for: self.configuration.slowTime) }
            if let legality = test?.legality { text?.legality = legality }
            let answer = ReadingAnswer(text: text, withLegality: form.wantsLegality).json(in: dialect, mark: mark)
            return try Response(.ok, json: answer, contentType: VerifierFault.contentType)
        } catch {
            let fault = try self.fault(of: error, in: dialect)
            self.logger.info("request refused", metadata: ["verifier.error": "\(fault.message)"])
            if fault.endsConnection { context.closeConnection(in: Limits.lingerTime) }
            return try fault.response(in: dialect, mark: mark)
        }
    }

    /// Counts a request as running; `false` if too many are.
    private func enter() -> Bool {
        self.running.withLock { count in
            guard count < self.configuration.concurrency else { return false }
            count += 1
            return true
        }
    }

    /// Returns the vendor's error for an error of a lower layer; rethrows others.
    private func fault(of error: any Error, in dialect: EmbeddedVerifier.Dialect) throws -> VerifierFault {
        switch error {
        case let fault as VerifierFault: return fault
        case is Request.BodyTooLarge: return .bodyTooLarge(dialect)
        case let error as MultipartFormError:
            // The vendor has no error for an unreadable form: its server reports all parts as missing.
            self.logger.info("form not read", metadata: ["verifier.message": "\(error.message)"])
            return .missing("api_key")
        case let error as EmbeddedError where error.code == .imageUndecodable:
            return .image("IMAGE_ERROR_UNSUPPORTED_FORMAT", dialect)
        case let error as EmbeddedError where error.code == .imageTooLarge: return .image("INVALID_IMAGE_SIZE", dialect)
        case let error as EmbeddedError:
            let metadata: Logger.Metadata = ["verifier.code": "\(error.code)", "verifier.message": "\(error.message)"]
            self.logger.error("card not read", metadata: metadata)
            return .internal
        default: throw error
        }
    }
}

/// A request's form after it was checked in the vendor's order: image, then options; the account was checked before.
private struct VerifierForm {
    let image: Data
    /// Whether the reply includes the scores; FaceID v3 always does.
    let wantsLegality: Bool

    /// - Throws: ``VerifierFault`` for the first error.
    init(_ form: ReceivedForm, _ dialect: EmbeddedVerifier.Dialect) throws(VerifierFault) {
        let images = form.parts.filter { $0.name == dialect.imagePart }
        guard images.count <= 1 else { throw .bad(dialect.imagePart) }
        // The vendor treats a part without a file name as text, so the image is missing.
        guard let image = images.first, image.filename?.isEmpty == false else { throw .missing(dialect.imageArguments) }
        guard image.body.count <= dialect.imageBytes else { throw .image("IMAGE_FILE_TOO_LARGE", dialect) }
        self.image = image.body

        switch dialect {
        case .faceIDv1, .faceppv1: self.wantsLegality = try Self.flag("legality", in: form)
        case .faceIDv3:
            // Cropping the portrait is not supported: answer like the vendor for accounts without permission.
            guard try !Self.flag("return_portrait", in: form) else { throw .notPermitted("return_portrait") }
            self.wantsLegality = true
        }
    }

    private static func flag(_ name: String, in form: ReceivedForm) throws(VerifierFault) -> Bool {
        let value = try form.value(of: name) ?? "0"
        guard value == "0" || value == "1" else { throw .bad(name) }
        return value == "1"
    }
}

extension ReceivedForm {
    /// Returns the text of a part; `nil` if no part has the name.
    ///
    /// - Throws: ``VerifierFault`` for two parts of the name, and for bytes that are not text.
    func value(of name: String) throws(VerifierFault) -> String? {
        let parts = self.parts.filter { $0.name == name }
        guard let part = parts.first else { return nil }
        guard parts.count == 1, let text = part.text else { throw .bad(name) }
        return text
    }
}

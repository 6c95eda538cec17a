import Dispatch
import HTTPTypes
import Hummingbird
import Logging
import MultipartForm
import Synchronization

/// Receives uploads: reads the key and the body, and answers.
final class UploadRoute: Sendable {
    private let configuration: EmbeddedBackend.Configuration
    private let ledger: Mutex<Ledger>
    /// The queue on which the ledger waits for the disk, to block neither an event loop nor Swift's cooperative
    /// threads.
    private let queue = DispatchQueue(label: "idcard.embedded.ledger")
    private let logger: Logger
    /// The idempotency keys in progress, from the request's head to its answer.
    private let running = Mutex<Set<String>>([])

    init(configuration: EmbeddedBackend.Configuration, ledger: Ledger, logger: Logger) {
        self.configuration = configuration
        self.ledger = Mutex(ledger)
        self.logger = logger
    }

    func router() -> Router<ConnectionContext> {
        let router = Router(context: ConnectionContext.self)
        let refusals = RouterRefusals {
            throw BackendProblem($0.status, "http_\($0.status.code)", $0.status.reasonPhrase)
        }
        router.add(middleware: refusals)
        router.post("/upload") { request, context in try await self.receive(request, context: context) }
        router.get("/healthz") { _, _ in
            let documents = self.ledger.withLock(\.count)
            let running = self.running.withLock(\.count)
            let counts: JSON = ["status": "ok", "documents": .integer(documents), "running": .integer(running)]
            return try Response(.ok, json: counts)
        }
        return router
    }

    /// - Throws: ``BackendProblem``: 400 without a usable key or form, 409, 413, 422, or 500 when nothing could be
    ///   stored.
    private func receive(_ request: Request, context: ConnectionContext) async throws -> Response {
        do {
            let key = try Self.key(of: request)
            // Registered before the body is read: two bodies under one key must not race each other.
            guard self.running.withLock({ $0.insert(key).inserted }) else { throw BackendProblem.keyInProgress }
            defer { self.running.withLock { _ = $0.remove(key) } }
            let (limit, time) = (self.configuration.bodyBytes, self.configuration.bodyTime)
            let body = try await request.wholeBody(upTo: limit, within: time, context: context)
            let upload = try Upload(key: key, headers: request.headers, body: body)
            if let test = TestNumber(in: upload.parts) { try await self.misbehave(as: test, context: context) }
            return try await self.answer(upload)
        } catch {
            let problem = try self.problem(of: error)
            self.logger.info("upload refused", metadata: ["backend.code": "\(problem.code)"])
            if problem.endsConnection { context.closeConnection(in: Limits.lingerTime) }
            throw problem
        }
    }

    /// Returns the problem for an error of a lower layer; rethrows others.
    private func problem(of error: any Error) throws -> BackendProblem {
        switch error {
        case let problem as BackendProblem: return problem
        case let error as MultipartFormError where error.code.isLimit:
            return BackendProblem(.contentTooLarge, "form_too_large", error.message)
        case let error as MultipartFormError: return BackendProblem(.badRequest, "form_malformed", error.message)
        case is Request.BodyTooLarge: return .bodyTooLarge(self.configuration.bodyBytes)
        default: throw error
        }
    }

    /// Performs the failure of a test number; returns if the request is then answered normally.
    private func misbehave(as test: TestNumber, context: ConnectionContext) async throws {
        switch test {
        case .fail(let status): throw BackendProblem.testNumber(status, "this status")
        case .slow: return try await Task.sleep(for: self.configuration.slowTime)
        case .drop: await context.close()
        case .hold: await context.closed()
        }
        // The client never reads this answer.
        throw BackendProblem.testNumber(.internalServerError, "no answer")
    }

    private func answer(_ upload: Upload) async throws -> Response {
        let given: (answer: UploadAnswer, isReplay: Bool)?
        do {
            given = try await self.queue.run { try self.ledger.withLock { try $0.answer(upload) } }
        } catch {
            self.logger.error("upload not stored", metadata: ["backend.error": "\(EmbeddedError.reason(error))"])
            throw BackendProblem.notStored
        }
        guard let (answer, isReplay) = given else { throw BackendProblem.keyReused }
        let metadata: Logger.Metadata = ["backend.retcode": "\(answer.code.rawValue)", "backend.replay": "\(isReplay)"]
        self.logger.info("upload answered", metadata: metadata)
        var response = Response(.ok, "application/json", try answer.jsonBytes())
        if isReplay { response.headers[.known("Idempotent-Replayed")] = "true" }
        return response
    }

    /// Returns the key of a request: a Structured Field String (RFC 8941 section 3.3.3), whose quotes and escapes are
    /// syntax.
    private static func key(of request: Request) throws -> String {
        let values = request.headers[values: .known("Idempotency-Key")]
        if values.count == 1, let match = values[0].wholeMatch(of: /\ *"((?:[ !#-\[\]-~]|\\["\\])+)" */) {
            let key = match.output.1.replacing(/\\(.)/) { $0.output.1 }
            if key.utf8.count <= Limits.keyCharacters { return String(key) }
        }
        throw BackendProblem.noKey(values.isEmpty ? "key_missing" : "key_malformed")
    }
}

extension HTTPField.Name {
    static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("The header name '\(name)' is no token.") }
        return name
    }
}

// Each message is on one line.
// swift-format-ignore
extension BackendProblem {
    static let keyInProgress = Self(.conflict, "key_in_progress", "An upload with this Idempotency-Key is under way; wait and send it again.", endsConnection: true)
    static let keyReused = Self(.unprocessableContent, "key_reused", "This Idempotency-Key was used with other content; use a new key.")
    static let notStored = Self(.internalServerError, "not_stored", "Nothing was stored; check the backend's folder and the free space, then send it again.")
    static func noKey(_ code: String) -> Self { Self(.badRequest, code, "An upload needs one Idempotency-Key, a string in quotes (RFC 8941).", endsConnection: true) }
    static func bodyTooLarge(_ limit: Int) -> Self { Self(.contentTooLarge, "body_too_large", "The body has more than \(limit) bytes; send fewer or smaller documents.", endsConnection: true) }
    static func testNumber(_ status: HTTPResponse.Status, _ what: String) -> Self { Self(status, "test_number", "The business number asks for \(what).") }
}

/// An HTTP error as RFC 9457 problem details.
struct BackendProblem: HTTPResponseError {
    let status: HTTPResponse.Status
    /// The reason for programs; stable.
    let code: String
    /// The reason for people; no personal data.
    let title: String
    /// Whether the connection is closed after the answer, because the rest of the body is not read.
    let endsConnection: Bool

    init(_ status: HTTPResponse.Status, _ code: String, _ title: String, endsConnection: Bool = false) {
        self.status = status
        self.code = code
        self.title = title
        self.endsConnection = endsConnection
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        let problem: JSON = [
            "type": "about:blank", "title": .text(self.title), "status": .integer(self.status.code),
            "code": .text(self.code),
        ]
        var response = try Response(self.status, json: problem, contentType: "application/problem+json")
        if self.endsConnection { response.headers[.connection] = "close" }
        return response
    }
}

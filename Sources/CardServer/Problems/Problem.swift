import CardModel
import CardStore
import HTTPTypes
import Hummingbird
import MultipartForm
import NIOCore
import NIOHTTP1

/// A refusal as problem details (RFC 9457); thrown when a request cannot be carried out.
struct Problem: Error {
    var code: ProblemCode
    /// Details for people: never a value that a client sent.
    var detail: Message?
    /// How long the client should wait; sent as `Retry-After` in whole seconds, at least one.
    var retryAfter: Duration?
    var headers = HTTPFields()
    var endsConnection = false

    init(
        _ code: ProblemCode,
        _ detail: Message? = nil,
        retryAfter: Duration? = nil,
        headers: HTTPFields = HTTPFields(),
        endsConnection: Bool = false
    ) {
        (self.code, self.detail, self.retryAfter, self.headers) = (code, detail, retryAfter, headers)
        self.endsConnection = endsConnection
    }

    static let mediaType = "application/problem+json"

    func document(requestID: String) -> ByteBuffer {
        let document: JSONObject = [
            "type": "urn:idcard-pipeline:problem:\(self.code.name)", "title": self.code.title.text(),
            "status": self.code.status.code, "code": self.code.name, "request_id": requestID,
            // Always there: a client finds the explanation in one place.
            "detail": (self.detail ?? self.code.title).withoutPersonalValues.text(),
        ]
        return ByteBuffer(bytes: JSONText.data(document))
    }

    var fields: HTTPFields {
        var fields = self.headers
        fields[.contentType] = Self.mediaType
        if let retryAfter { fields[.retryAfter] = "\(retryAfter.wholeSecondsUp)" }
        if self.endsConnection { fields[.connection] = "close" }
        return fields
    }
}

extension Duration {
    /// Whole seconds, rounded up, at least one: the form of `Retry-After`.
    var wholeSecondsUp: Int64 {
        let (seconds, attoseconds) = self.components
        return max(1, seconds + (attoseconds > 0 ? 1 : 0))
    }
}

// MARK: Causes

extension Problem {
    /// The connection ended within a body, or the body's framing broke.
    static let bodyTruncated = Problem(.bodyTruncated, endsConnection: true)

    /// Translates an error of the layers below for a client.
    init(cause: any Error) {
        switch cause {
        case let problem as Problem: self = problem
        case let error as CodedError: self.init(coded: error)
        case let underway as CardUnderway:
            self.init(
                .cardUnderway,
                .requestCardUnderway(underway.card, underway.state),
                headers: [.location: "/v1/cards/\(underway.card)"]
            )
        case let error as MultipartFormError:
            self.init(error.code.isLimit ? .formTooLarge : .formMalformed, .textVerbatim(error.message))
        case is CancellationError: self.init(.shuttingDown, retryAfter: .seconds(5))
        // Errors of the connection: those of the sandbox are `CodedError`.
        case is HTTPParserError, is IOError: self = .bodyTruncated
        // The router throws no other error.
        case let error as HTTPError where error.status == .notFound: self.init(.notFound)
        default: self.init(.internalError)
        }
    }

    private init(coded error: CodedError) {
        let detail = error.message
        switch error.code {
        case .businessNumberInvalid: self.init(.businessNumberInvalid, detail)
        case .fieldInvalid: self.init(.fieldInvalid, detail)
        case .submitterConflict: self.init(.submitterConflict)
        case .scopeMissing: self.init(.scopeMissing, detail)
        case .purposePersonal: self.init(.purposePersonal, detail)
        case .cardConflict, .cardMoved: self.init(.changeRefused, detail)
        case .notFound: self.init(.cardNotFound)
        case .tooManyPhotos: self.init(.tooManyPhotos, detail)
        case .queueFull: self.init(.queueFull, detail, retryAfter: .seconds(5))
        case .diskSpaceLow: self.init(.diskSpaceLow, detail, retryAfter: .seconds(60))
        case .sandboxBusy, .sandboxUnavailable: self.init(.storeUnavailable, retryAfter: .seconds(10))
        default:
            let isTemporary = error.kind == .temporary
            self.init(isTemporary ? .busy : .internalError, retryAfter: isTemporary ? .seconds(5) : nil)
        }
    }

    /// An image that cannot be used, in one part of a form or alone.
    init(unusable error: CodedError, part: CardSide?) {
        let detail = part.map { Message.requestPartRefused($0, error.message) } ?? error.message
        guard let code = ProblemCode.image.first(where: { $0.name == error.code.rawValue }) else {
            self.init(.internalError)
            return
        }
        self.init(code, detail)
    }
}

import HTTPTypes
import Hummingbird
import IDCardCore
import IDCardMultipartForm
import IDCardPipeline
import NIOCore
import NIOHTTP1

extension Problem {
    /// What an error of the layers below means to a caller.
    init(cause: any Error) {
        switch cause {
        case let problem as Problem: self = problem
        case let error as StoreError: self.init(store: error)
        case let error as MultipartFormError:
            self.init(error.code.isLimit ? .formTooLarge : .formMalformed, error.message)
        case is CancellationError:
            self.init(.shuttingDown, retryAfter: .seconds(5))
        case is BodyTimeout:
            self.init(.bodyTimeout, endsConnection: true)
        case is BodyTruncation, is HTTPParserError, is IOError:
            // Of the connection: what is written to the disk fails as `StoreError`.
            self.init(.bodyTruncated, endsConnection: true)
        case let error as HTTPError: self.init(http: error)
        default: self.init(.internalError)
        }
    }

    private init(store error: StoreError) {
        switch error.code {
        case .conflict: self.init(.changeRefused, error.message)
        case .notFound: self.init(.cardNotFound)
        case .diskFull: self.init(.diskSpaceLow, retryAfter: .seconds(60))
        case .unavailable: self.init(.storeUnavailable, retryAfter: .seconds(10))
        case .wrongKey: self.init(.keyMissing, error.message, retryAfter: .seconds(30))
        default: self.init(.internalError)
        }
    }

    /// The router's own errors.
    private init(http error: HTTPError) {
        switch error.status {
        case .notFound: self.init(.notFound)
        case .methodNotAllowed: self.init(.methodNotAllowed)
        case .contentTooLarge: self.init(.bodyTooLarge, endsConnection: true)
        case .badRequest: self.init(.requestMalformed)
        default: self.init(.internalError)
        }
    }

    /// Refuses intake by what presses on it.
    init(_ reason: ReasonCode, message: String, retryAfter: Duration) {
        self.init(ProblemCode(rawValue: reason.rawValue) ?? .intakeClosed, message, retryAfter: retryAfter)
        if self.code.status != .serviceUnavailable { self.code = .intakeClosed }
    }
}

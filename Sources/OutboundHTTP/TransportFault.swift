import AsyncHTTPClient
import Glibc
import IDCardMultipartForm
import NIOCore
import NIOHTTP1
import NIOPosix

/// Names the faults of a transport: from the error types of the network library to our closed set of codes.
package enum TransportFault {
    /// Names an error.
    ///
    /// - Parameters:
    ///   - error: what the library threw; `nil` if a request ended without error and without reply.
    ///   - phase: what was observed of the sending.
    ///   - usesTLS: whether the connection was to be encrypted.
    package static func code(for error: (any Error)?, phase: HTTPPhase, usesTLS: Bool) -> HTTPFailure.Code {
        switch error {
        case let error as HTTPClientError: return self.code(for: error)
        case let error as NIOConnectionError: return self.code(for: error, usesTLS: usesTLS)
        case let error as IOError: return self.code(forErrno: error.errnoCode, phase: phase)
        case let error as ChannelError: return self.code(for: error, phase: phase)
        case is MultipartFormError: return .formUnreadable
        case is HeaderRules.Violation: return .invalidRequest
        case let error as PinnedCertificates.Refusal: return error == .notPinned ? .tlsUntrusted : .tlsExpired
        case let error as OutboundHTTPError: return error.code == .tlsRequired ? .tlsRequired : .tlsInsecureRefused
        case let verdict as IdleClock.Verdict: return verdict == .write ? .idleWriteTimeout : .idleTimeout
        case is ExchangeRecorder.ReplyTooLarge: return .replyTooLarge
        case is ExchangeRecorder.EarlySuccess: return .earlySuccess
        // The parser ends with this one when the connection closes in the middle of a reply.
        case let error as HTTPParserError: return error == .invalidEOFState ? .connectionClosed : .replyMalformed
        case is NIOHTTPDecoderError: return .replyMalformed
        default:
            let other: HTTPFailure.Code = usesTLS && phase == .notSent ? .tls : .transport
            return TLSFault.code(for: error, phase: phase) ?? other
        }
    }

    private static func code(for error: HTTPClientError) -> HTTPFailure.Code {
        switch error {
        case .connectTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout: .connectTimeout
        case .invalidProxyResponse, .proxyAuthenticationRequired: .proxyRefused
        case .getConnectionFromPoolTimeout: .poolTimeout
        case .deadlineExceeded: .deadlineExceeded
        case .readTimeout: .idleTimeout
        case .writeTimeout: .idleWriteTimeout
        case .remoteConnectionClosed, .uncleanShutdown: .connectionClosed
        case .invalidURL, .emptyHost, .emptyScheme, .contentLengthMissing: .invalidRequest
        case .bodyLengthMismatch: .formUnreadable
        // These two carry the offending names, so they are compared by their bounded text.
        case _ where error.shortDescription.hasPrefix("Invalid header field"): .invalidRequest
        case _ where error.shortDescription == "Server offered unsupported application protocol": .tlsProtocol
        default: .transport
        }
    }

    private static func code(for error: NIOConnectionError, usesTLS: Bool) -> HTTPFailure.Code {
        guard !error.connectionErrors.isEmpty else {
            return error.dnsAError != nil || error.dnsAAAAError != nil ? .dns : .connectFailed
        }
        // A host may have several addresses: the address that answered with "no" says more than the ones that stayed
        // silent.
        let codes = error.connectionErrors.map { self.code(for: $0.error, phase: .notSent, usesTLS: usesTLS) }
        return codes.first { $0 == .connectRefused } ?? codes.first { $0 == .connectTimeout } ?? .connectFailed
    }

    private static func code(for error: ChannelError, phase: HTTPPhase) -> HTTPFailure.Code {
        switch error {
        case .connectTimeout: .connectTimeout
        case .ioOnClosedChannel, .alreadyClosed, .eof, .outputClosed, .inputClosed: .connectionClosed
        default: phase == .notSent ? .connectFailed : .transport
        }
    }

    private static func code(forErrno errno: CInt, phase: HTTPPhase) -> HTTPFailure.Code {
        switch errno {
        case ECONNREFUSED: .connectRefused
        case ETIMEDOUT: phase == .notSent ? .connectTimeout : .connectionReset
        case ECONNRESET, EPIPE, ECONNABORTED: .connectionReset
        default: phase == .notSent ? .connectFailed : .transport
        }
    }
}

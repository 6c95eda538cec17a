import AsyncHTTPClient
package import CardModel
import Foundation
import NIOCore
import NIOHTTP1

/// The result of a connection test of an endpoint, step by step (`config check --online`).
package struct EndpointProbe: Sendable {
    /// The steps in order; with a proxy, the first two concern the proxy.
    package enum Step: String, Sendable, Encodable {
        case name
        /// The connection to the address, or the tunnel through the proxy, is open.
        case connection
        /// The server's certificate is trusted, and ours is accepted.
        case tls
        /// The server answers `HEAD`, whatever the status.
        case head
    }

    package struct Outcome: Sendable {
        package let step: Step
        package let isOK: Bool
        /// The finding; for a failed step, with the remedy.
        package let message: Message
    }

    /// Host and port.
    package let endpoint: String
    /// The results up to the first failed step.
    package let outcomes: [Outcome]

    package var isReachable: Bool { self.outcomes.allSatisfy(\.isOK) }

    /// Derives the results from the status of the answer or the failure, and from the end of the server certificate's validity.
    init(of address: EndpointAddress, status: Int?, failure: HTTPFailure?, certificateEnd: Timestamp?) {
        let failed = failure.map { Self.step(of: $0.code) }
        var outcomes: [Outcome] = []
        for step in [.name, .connection] + (address.usesTLS ? [.tls] : []) + [.head] as [Step] {
            if let failure, step == failed {
                outcomes.append(Outcome(step: step, isOK: false, message: failure.message))
                break
            }
            let found: Message? =
                switch step {
                case .name, .connection: nil
                case .tls: certificateEnd.map(Message.probeCertificate)
                case .head: status.map(Message.probeAnswered)
                }
            outcomes.append(Outcome(step: step, isOK: true, message: found ?? .probeOK))
        }
        self.endpoint = address.authority
        self.outcomes = outcomes
    }

    private static func step(of code: HTTPFailure.Code) -> Step {
        switch code {
        case .dns: .name
        case .connectRefused, .connectTimeout, .connectFailed, .proxyRefused, .proxyAuthentication: .connection
        case .tls, .tlsUntrusted, .tlsWrongHost, .tlsProtocol, .tlsClientCertificate: .tls
        default: .head
        }
    }
}

extension HTTPEndpoint {
    /// Sends `HEAD` to the address, without anything secret: no credentials, no form, and not the query of the URL.
    func probe() async -> EndpointProbe {
        let recorder = ExchangeRecorder(contentLength: 0, progress: nil)
        var ending: (any Error)?
        do {
            var parts = URLComponents(url: self.address.url, resolvingAgainstBaseURL: false)
            parts?.query = nil
            let request = try HTTPClient.Request(
                url: parts?.url ?? self.address.url,
                method: .HEAD,
                headers: ["User-Agent": "idcard-pipeline", "Accept": "*/*", "Connection": "close"]
            )
            ending = await self.perform(request, recorder)
        } catch { ending = error }
        let record = recorder.record
        let phase: HTTPPhase = record.headSent ? .afterSend : .notSent
        return EndpointProbe(
            of: self.address,
            status: record.head.map { Int($0.status.code) },
            failure: record.head == nil ? HTTPFailure(ending, phase: phase, of: self) : nil,
            certificateEnd: self.certificateEnd
        )
    }
}

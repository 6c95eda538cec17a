import AsyncHTTPClient
package import CardModel
import Foundation
import NIOCore
import NIOHTTP1

/// How far a connection to an endpoint comes, step by step (`config check --online`).
package struct EndpointProbe: Sendable {
    /// The steps in their order; with a proxy, the first two are those to the proxy.
    package enum Step: String, Sendable, Encodable {
        case name
        /// The address, or the proxy's tunnel, is open.
        case connection
        /// The server's certificate is trusted, and ours is accepted.
        case tls
        /// The server answers `HEAD`, whatever the status.
        case head
    }

    package struct Outcome: Sendable {
        package let step: Step
        package let isOK: Bool
        /// What was found; where it failed, with the remedy.
        package let message: Message
    }

    /// Host and port.
    package let endpoint: String
    /// What came of each step, up to the first that failed.
    package let outcomes: [Outcome]

    package var isReachable: Bool { self.outcomes.allSatisfy(\.isOK) }

    /// Judges by the status of the answer, or why there is none, and the last moment of the server's certificate.
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
    /// Asks for the head of the address. Nothing secret goes: no credentials, no form, and not the query of the URL.
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

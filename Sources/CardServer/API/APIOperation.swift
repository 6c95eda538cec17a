import HTTPTypes
import Hummingbird

/// One operation of the API: what is routed, what a caller needs, what is documented, all from the same value.
struct APIOperation: Sendable {
    /// What a caller needs.
    enum Access: Hashable, Sendable {
        /// Nothing.
        case open
        /// A token with a scope.
        case token(TokenScope)
        /// A signature of a known sender.
        case signature
    }

    /// A parameter outside the body.
    struct Parameter: Sendable {
        var name: String
        /// `query`, `header` or `path`.
        var place: String
        var schema: JSONNode
        var isRequired = false
        var description: String
    }

    /// What stands in a body.
    struct Content: Sendable {
        var mediaType: String
        var schema: JSONNode
        var encoding: JSONNode?
    }

    /// An answer that is no problem.
    struct Answer: Sendable {
        var status: HTTPResponse.Status
        var description: String
        var content: Content
        /// Header fields by name, with what they say.
        var headers: [String: String] = [:]
    }

    /// Its name in the document.
    var id: String
    var method: HTTPRequest.Method
    /// The template, such as `/v1/cards/{card_id}`.
    var path: String
    var summary: String
    var access: Access
    var parameters: [Parameter] = []
    var bodies: [Content] = []
    var isBodyRequired = true
    var answers: [Answer]
    /// The problems that are its own; those of every operation, of its access and of its body come on top.
    var problems: [ProblemCode] = []

    /// Every problem that it may answer with.
    var allProblems: [ProblemCode] {
        var codes: [ProblemCode] = [
            .requestMalformed, .headTimeout, .targetTooLong, .expectationUnknown, .headerTooLarge, .internalError,
            .versionUnsupported, .connectionsExhausted,
        ]
        switch self.access {
        case .open: break
        case .token:
            codes += [.unauthorized, .scopeMissing, .rateLimited, .storeUnavailable, .shuttingDown]
        case .signature: codes += [.signatureInvalid, .rateLimited, .storeUnavailable, .shuttingDown]
        }
        if !self.bodies.isEmpty {
            codes += [.bodyTruncated, .bodyTimeout, .bodyTooLarge, .codingUnsupported, .busy]
        }
        return codes + self.problems.filter { !codes.contains($0) }
    }

    /// Every status that it may answer with.
    var statuses: Set<Int> {
        Set(self.answers.map(\.status.code) + self.allProblems.map(\.status.code))
    }

    /// The methods that any path takes.
    static let methods: Set<HTTPRequest.Method> = Set(Self.all.map(\.method))

    /// What to say to a request that no operation takes: its path is known, or not.
    static func missing(_ request: Request) -> Problem {
        let parts = request.uri.path.split(separator: "/", omittingEmptySubsequences: true)
        var methods = Set(self.all.filter { $0.matches(parts) }.map(\.method))
        guard !methods.isEmpty else { return Problem(.notFound) }
        if methods.contains(.get) { methods.insert(.head) }
        var problem = Problem(.methodNotAllowed)
        problem.headers[.allow] = methods.map(\.rawValue).sorted().joined(separator: ", ")
        return problem
    }

    private func matches(_ parts: [Substring]) -> Bool {
        let template = self.path.split(separator: "/")
        guard template.count == parts.count else { return false }
        return zip(template, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}

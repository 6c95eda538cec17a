import CardModel
import CardStore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore

/// A request to the console, with its session and caller.
struct ConsoleRequest: Sendable {
    let request: Request
    let context: ServerContext
    /// The session with its name; `nil` for a visitor who is not signed in.
    var session: (name: String, value: Sessions.Session)?
    /// Without a name and scopes until a session is found.
    var caller = Caller(subject: "", scopes: [])

    /// Whether the quota of reveals allows another one.
    var hasReveals = false

    /// Whether the person may reveal a card of a submitter now.
    func mayReveal(_ submitter: String) -> Bool { self.hasReveals && self.caller.may(.reveal, on: submitter) }

    /// Whether a person asked, not a page that refreshes itself.
    var isUse: Bool { self.request.uri.queryParameters["live"] == nil }

    /// The language of the session, else that of the browser.
    var catalogue: MessageCatalogue? {
        (self.session?.value.language ?? Envelope.language(of: self.request))?.catalogue
    }

    /// The parameters of a form of filters: it sends a space as `+` (URL standard, section 5).
    func query(_ known: Set<String>) throws -> QueryParameters {
        let query = (self.request.uri.query ?? "").replacing("+", with: "%20")
        return try QueryParameters(URI("?" + query), known: known, isForm: true)
    }

    /// The caller with an action and a purpose, for the access log.
    ///
    /// - Parameter purpose: `nil` for the purpose of the session.
    func origin(purpose: String? = nil, doing what: String = "") throws -> AccessOrigin {
        let action = "\(self.request.method.rawValue) \(self.context.endpointPath ?? "")\(what)"
        let purpose = purpose ?? self.session?.value.purpose ?? ""
        return try CardRoutes.origin(action, caller: self.caller, why: purpose)
    }

    /// The card that the path names; the store checks whether there is one.
    var card: CardID { CardRoutes.card(self.context) }

    /// The fields of a form (`application/x-www-form-urlencoded`), each once and trimmed, without empty ones.
    ///
    /// - Throws: ``Problem``: `media_type_unsupported`, `field_unknown`, `field_invalid`, and what ``BodyReader`` throws.
    func form(_ known: Set<String>) async throws -> [String: String] {
        let type = self.request.headers[.contentType]?.mediaType
        guard type == "application/x-www-form-urlencoded" else { throw Problem(.mediaTypeUnsupported) }
        var body = Data()
        let reader = BodyReader(request: self.request, context: self.context, limit: Limits.jsonBytes)
        try await reader.read { body.append(contentsOf: $0.readableBytesView) }
        let text = String(decoding: body, as: UTF8.self)
        guard let fields = try? URLEncodedFormDecoder().decode([String: String].self, from: text) else {
            throw Problem(.fieldInvalid)
        }
        guard Set(fields.keys).isSubset(of: known) else { throw Problem(.fieldUnknown) }
        return fields.mapValues(\.trimmed).filter { !$0.value.isEmpty }
    }
}

/// Keeps pages of other origins from acting in the name of a person who is signed in here.
///
/// A browser reports the origin of a request: `Sec-Fetch-Site` (Fetch Metadata), or at least `Origin`. A page can set
/// neither. Stricter than Go's `net/http.CrossOriginProtection`: a request without both is refused, too, as only
/// browsers use these routes.
enum CrossOrigin {
    /// - Throws: ``Problem`` `cross_origin` for a request that changes something and may come from a page of another origin.
    static func check(_ request: Request) throws(Problem) {
        guard request.method != .get, request.method != .head else { return }
        let sites = request.headers[values: .secFetchSite]
        guard sites.isEmpty else {
            if sites == ["same-origin"] { return }
            throw Problem(.crossOrigin, .requestCrossSite)
        }
        guard let origin = request.headers.single(.origin), let host = request.head.authority, !host.isEmpty,
            let scheme = ["https://", "http://"].first(where: { origin.hasPrefix($0) }),
            origin.dropFirst(scheme.count).lowercased() == host.lowercased()
        else { throw Problem(.crossOrigin, .requestOrigin) }
    }
}

extension HTTPField.Name {
    static let secFetchSite = Self.known("Sec-Fetch-Site")
    static let clearSiteData = Self.known("Clear-Site-Data")
    static let forwardedScheme = Self.known("X-Forwarded-Proto")
    static let refresh = Self.known("Refresh")
}

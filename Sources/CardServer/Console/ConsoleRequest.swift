import CardModel
import CardStore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore

/// A request to the console, and who sent it.
struct ConsoleRequest: Sendable {
    let request: Request
    let context: ServerContext
    /// The session with its name; `nil` for a visitor who is not signed in.
    var session: (name: String, value: Sessions.Session)?
    /// Nobody until a session is found.
    var caller = Caller(subject: "", scopes: [])

    /// Whether a person asked, and not a page that renews itself.
    var isUse: Bool { self.request.uri.queryParameters["live"] == nil }

    /// The language of the session, else that of the browser.
    var catalogue: MessageCatalogue? {
        (self.session?.value.language ?? Envelope.language(of: self.request))?.catalogue
    }

    /// What a form of filters has sent: a space came as `+` (URL standard, section 5).
    func query(_ known: Set<String>) throws -> QueryParameters {
        let query = (self.request.uri.query ?? "").replacing("+", with: "%20")
        return try QueryParameters(URI("?" + query), known: known, isForm: true)
    }

    /// Who does something, for the access log.
    ///
    /// - Parameter purpose: `nil` for that of the sitting.
    func origin(purpose: String? = nil, doing what: String = "") throws -> AccessOrigin {
        let action = "\(self.request.method.rawValue) \(self.context.endpointPath ?? "")\(what)"
        let purpose = purpose ?? self.session?.value.purpose ?? ""
        return try CardRoutes.origin(action, caller: self.caller, why: purpose)
    }

    /// The card that the path names; the store says whether there is one.
    var card: CardID { CardRoutes.card(self.context) }
}

/// The fields of a form of the console (`application/x-www-form-urlencoded`), each once.
struct ConsoleForm: Sendable {
    private let fields: [String: String]

    /// - Throws: ``Problem``: `media_type_unsupported`, `field_unknown`, `field_invalid`, and what ``BodyReader`` throws.
    init(_ visit: ConsoleRequest, known: Set<String>) async throws {
        let type = visit.request.headers[.contentType]?.mediaType
        guard type == "application/x-www-form-urlencoded" else { throw Problem(.mediaTypeUnsupported) }
        var body = Data()
        let reader = BodyReader(request: visit.request, context: visit.context, limit: Limits.jsonBytes)
        try await reader.read { body.append(contentsOf: $0.readableBytesView) }
        let text = String(decoding: body, as: UTF8.self)
        guard let fields = try? URLEncodedFormDecoder().decode([String: String].self, from: text) else {
            throw Problem(.fieldInvalid)
        }
        guard Set(fields.keys).isSubset(of: known) else { throw Problem(.fieldUnknown) }
        self.fields = fields
    }

    /// What a field holds, trimmed; `nil` if it is missing or empty.
    subscript(_ name: String) -> String? {
        guard let text = self.fields[name]?.trimmed, !text.isEmpty else { return nil }
        return text
    }
}

/// Keeps the pages of other origins from doing something in the name of who is signed in here.
///
/// A browser says where a request comes from: `Sec-Fetch-Site` (Fetch Metadata), or at least `Origin`. Neither can be set by a page.
/// Stricter than Go's `net/http.CrossOriginProtection`: a request that has neither is refused, too, as only browsers come here.
enum CrossOrigin {
    /// - Throws: ``Problem`` `cross_origin` for a request that changes something and does not surely come from our own pages.
    static func check(_ request: Request) throws(Problem) {
        guard request.method != .get, request.method != .head else { return }
        let sites = request.headers[values: .secFetchSite]
        guard sites.isEmpty else {
            if sites == ["same-origin"] { return }
            throw Problem(.crossOrigin, .requestCrossSite)
        }
        let origins = request.headers[values: .origin]
        guard origins.count == 1, let host = request.head.authority, !host.isEmpty,
            let scheme = ["https://", "http://"].first(where: { origins[0].hasPrefix($0) }),
            origins[0].dropFirst(scheme.count).lowercased() == host.lowercased()
        else { throw Problem(.crossOrigin, .requestOrigin) }
    }
}

extension HTTPField.Name {
    static let secFetchSite = Self.known("Sec-Fetch-Site")
    static let clearSiteData = Self.known("Clear-Site-Data")
    static let forwardedScheme = Self.known("X-Forwarded-Proto")
    static let refresh = Self.known("Refresh")
}

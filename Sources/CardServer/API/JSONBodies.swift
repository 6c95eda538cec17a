import CardModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    init(json value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()) {
        var headers = headers
        headers[.contentType] = "application/json"
        self.init(
            status: status,
            headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: JSONText.data(value)))
        )
    }
}

/// Reads JSON that strangers send: in UTF-8, and each key of an object once. A decoder keeps one of two equal keys and
/// says nothing.
enum StrictJSON {
    /// Reads a body.
    ///
    /// - Parameter expected: what it is to be, for people.
    /// - Throws: ``Problem``: `json_invalid`, `field_duplicate`; and a problem that the type itself throws.
    static func decode<Value: Decodable>(_ type: Value.Type, from body: Data, expected: String) throws -> Value {
        let value: Value
        do {
            // The decoder reads UTF-16 and UTF-32, too, in which every ASCII character has a byte that is zero.
            guard !body.contains(0) else { throw Problem(.jsonInvalid, "It is not UTF-8.") }
            value = try JSONDecoder().decode(type, from: body)
        } catch let problem as Problem {
            throw problem
        } catch {
            // The decoder's own text may quote the body.
            throw Problem(.jsonInvalid, expected)
        }
        guard JSONScan(body).repeatedKeys.isEmpty else {
            throw Problem(.fieldDuplicate, "A key stands twice in an object.")
        }
        return value
    }

    /// Reads the small body of a request, an object of texts; a key that is `null` is missing.
    ///
    /// - Parameter isOptional: whether no body says nothing.
    /// - Throws: ``Problem``: `media_type_unsupported`, `json_invalid`, `field_unknown`, `field_duplicate`, and what
    ///   ``BodyReader`` throws.
    static func texts(
        of request: Request,
        context: ServerContext,
        known: Set<String>,
        isOptional: Bool = false
    ) async throws -> [String: String] {
        var body = Data()
        let reader = BodyReader(request: request, context: context, limit: Limits.jsonBytes)
        try await reader.read { body.append(contentsOf: $0.readableBytesView) }
        if isOptional, body.isEmpty { return [:] }
        guard request.headers[.contentType]?.mediaType == "application/json" else {
            throw Problem(.mediaTypeUnsupported, "Taken is application/json.")
        }
        let texts = try self.decode([String: String?].self, from: body, expected: "It is an object of texts.")
        guard texts.keys.allSatisfy(known.contains) else {
            throw Problem(.fieldUnknown, "Known are \(known.sorted().joined(separator: ", ")).")
        }
        return texts.compactMapValues { $0 }
    }
}

extension String {
    /// Of a content type the type alone, in lower case.
    var mediaType: String { self.prefix { $0 != ";" && $0 != " " }.lowercased() }
}

import CardModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    init(json value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()) {
        self.init(ByteBuffer(bytes: JSONText.data(value)), "application/json", status: status, headers: headers)
    }

    /// An answer with a whole body of a content type.
    init(_ body: ByteBuffer, _ type: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()) {
        var headers = headers
        headers[.contentType] = type
        self.init(status: status, headers: headers, body: .init(byteBuffer: body))
    }
}

/// A JSON object of an answer or a report; a `nil` value is written as `null`, so every key is always present.
package struct JSONObject: Encodable, ExpressibleByDictionaryLiteral, Sendable {
    private struct Member: Encodable, Sendable {
        let value: (any Encodable & Sendable)?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let value { try container.encode(value) } else { try container.encodeNil() }
        }
    }

    private let members: [String: Member]

    package init(dictionaryLiteral members: (String, (any Encodable & Sendable)?)...) {
        self.members = Dictionary(uniqueKeysWithValues: members.map { ($0, Member(value: $1)) })
    }

    package func encode(to encoder: any Encoder) throws { try self.members.encode(to: encoder) }
}

/// Reads JSON of untrusted clients.
enum StrictJSON {
    /// - Throws: ``Problem``: `field_duplicate`.
    static func requireSingleNames(in value: JSONValue) throws {
        guard value.repeatedNames.isEmpty else { throw Problem(.fieldDuplicate, .requestKeyTwice) }
    }

    /// Reads the small body of a request, an object of texts; a key that is `null` counts as missing.
    ///
    /// - Parameter isOptional: whether an empty body counts as an empty object.
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
            throw Problem(.mediaTypeUnsupported, .requestJSONOnly)
        }
        let names = known.sorted()
        let expected = "{\(names.map { "\"\($0)\": \"…\"" }.joined(separator: ", "))}"
        var texts: [String: String] = [:]
        guard let object = JSONValue(parsing: body), object.isObject else {
            throw Problem(.jsonInvalid, .requestJSONExpected(expected))
        }
        try self.requireSingleNames(in: object)
        for member in object.members where member.value != .null {
            guard known.contains(member.name) else {
                throw FieldTexts.unknown(member.name, known: names.joined(separator: ", "))
            }
            guard case .string(let text) = member.value else {
                throw Problem(.jsonInvalid, .requestNotAString(member.name, expected))
            }
            texts[member.name] = text
        }
        return texts
    }
}

extension String {
    /// The media type without its parameters, in lower case.
    var mediaType: String { self.prefix { $0 != ";" && $0 != " " }.lowercased() }
}

import CardModel
import Foundation
import Hummingbird
import NIOCore

/// The OpenAPI 3.1 document: the content of `openapi.json`, with the problems and scopes of each operation.
///
/// Unauthenticated clients read it, so it holds nothing of the configuration.
enum OpenAPIDocument {
    static let bytes: ByteBuffer = {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? JSONSerialization.data(withJSONObject: Self.document(), options: options) else {
            preconditionFailure("The OpenAPI document cannot be written as JSON.")
        }
        return ByteBuffer(bytes: bytes)
    }()

    /// `GET /openapi.json`.
    static func answer() -> Response { Response(self.bytes, "application/json") }

    private static func document() -> [String: Any] {
        let text = Data(PackageResources.openapi_json)
        guard var document = try? JSONSerialization.jsonObject(with: text) as? [String: Any] else {
            preconditionFailure("openapi.json is no JSON object.")
        }
        for operation in APIOperation.all {
            let method = operation.method.rawValue.lowercased()
            self.complete(&document[object: "paths"][object: operation.path][object: method], by: operation)
        }
        let codes = APIOperation.all.flatMap(\.problems) + [.notFound, .methodNotAllowed]
        document[object: "components"][object: "schemas"][object: "Problem"][object: "properties"]["code"] =
            self.oneOf(codes)
        document[object: "components"][object: "schemas"][object: "Reason"]["enum"] = ReasonCode.all.map(
            \.code.rawValue
        )
        return document
    }

    private static func complete(_ text: inout [String: Any], by operation: APIOperation) {
        for (status, codes) in Dictionary(grouping: operation.problems, by: \.status.code) {
            var response =
                text[object: "responses"]["\(status)"] as? [String: Any] ?? ["headers": self.headers(of: status)]
            let titles = codes.map { "`\($0.name)`: \($0.title.text(in: .english))" }.joined(separator: "\n\n")
            response["description"] = response["description"] ?? titles
            let code = ["properties": ["code": self.oneOf(codes)]]
            let schema = ["allOf": [["$ref": "#/components/schemas/Problem"], code]]
            response[object: "content"][Problem.mediaType] = ["schema": schema]
            text[object: "responses"]["\(status)"] = response
        }
        if case .token(let scopes) = operation.access {
            // Alternative requirements, each with its role (OpenAPI 3.1, "Security Requirement Object"); tools that know only
            // 3.0 read `x-scopes`.
            let names = (scopes + [.operate]).map(\.rawValue)
            text["security"] = names.map { ["token": [$0]] }
            text["x-scopes"] = names
        } else {
            text["security"] = [String]()
        }
    }

    private static func oneOf(_ codes: [ProblemCode]) -> [String: Any] { ["enum": Set(codes.map(\.name)).sorted()] }

    private static func headers(of status: Int) -> [String: Any] {
        var texts = ["Request-Id": "The name of the request in the log."]
        switch status {
        case 401: texts["WWW-Authenticate"] = "How to authenticate."
        case 429, 503: texts["Retry-After"] = "When to try again, in seconds."
        default: break
        }
        return texts.mapValues { ["description": $0, "schema": ["type": "string"]] }
    }
}

extension [String: Any] {
    /// The object under a name; an empty one if there is none.
    fileprivate subscript(object name: String) -> [String: Any] {
        get { self[name] as? [String: Any] ?? [:] }
        set { self[name] = newValue }
    }
}

import CardModel
import Foundation
import Hummingbird
import NIOCore

/// The OpenAPI 3.1 document: what `openapi.json` says, with the ways in which each operation is refused.
///
/// Strangers read it, so nothing of the configuration stands in it.
enum OpenAPIDocument {
    static let bytes: ByteBuffer = {
        let document = Self.document()
        guard
            let bytes = try? JSONSerialization.data(
                withJSONObject: document,
                options: [.sortedKeys, .withoutEscapingSlashes]
            )
        else { preconditionFailure("The OpenAPI document cannot be written as JSON.") }
        return ByteBuffer(bytes: bytes)
    }()

    /// `GET /openapi.json`.
    static func answer() -> Response {
        Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: self.bytes))
    }

    private static func document() -> [String: Any] {
        let text = Data(PackageResources.openapi_json)
        guard let document = try? JSONSerialization.jsonObject(with: text) as? [String: Any],
            var paths = document["paths"] as? [String: Any],
            var components = document["components"] as? [String: Any],
            var schemas = components["schemas"] as? [String: Any]
        else { preconditionFailure("openapi.json holds no paths, components and schemas.") }
        for operation in APIOperation.all {
            let method = operation.method.rawValue.lowercased()
            guard var methods = paths[operation.path] as? [String: Any],
                let text = methods[method] as? [String: Any]
            else { continue }
            methods[method] = self.completed(text, by: operation)
            paths[operation.path] = methods
        }
        let codes = APIOperation.all.flatMap(\.problems) + [.notFound, .methodNotAllowed]
        var problem = schemas["Problem"] as? [String: Any] ?? [:]
        var properties = problem["properties"] as? [String: Any] ?? [:]
        properties["code"] = self.oneOf(codes)
        problem["properties"] = properties
        schemas["Problem"] = problem
        var reason = schemas["Reason"] as? [String: Any] ?? [:]
        reason["enum"] = ReasonCode.all.map(\.code.rawValue)
        schemas["Reason"] = reason
        components["schemas"] = schemas
        let description =
            "Takes photos of ID cards in. Errors are problem details (RFC 9457) with a stable `code`. Nothing personal "
            + "stands in an answer unless it is asked for."
        return [
            "openapi": "3.1.0",
            "info": ["title": "idcard-pipeline", "version": "1", "description": description],
            "paths": paths, "components": components,
        ]
    }

    private static func completed(_ text: [String: Any], by operation: APIOperation) -> [String: Any] {
        var text = text
        var responses = text["responses"] as? [String: Any] ?? [:]
        for (status, codes) in Dictionary(grouping: operation.problems, by: \.status.code) {
            var response = responses["\(status)"] as? [String: Any] ?? ["headers": self.headers(of: status)]
            let titles = codes.map { "`\($0.name)`: \($0.title.text(in: .english))" }.joined(separator: "\n\n")
            response["description"] = response["description"] ?? titles
            var content = response["content"] as? [String: Any] ?? [:]
            let code = ["properties": ["code": self.oneOf(codes)]]
            content[Problem.mediaType] = ["schema": ["allOf": [["$ref": "#/components/schemas/Problem"], code]]]
            response["content"] = content
            responses["\(status)"] = response
        }
        text["responses"] = responses
        if case .token(let scopes) = operation.access {
            // One of several requirements with their roles (OpenAPI 3.1, "Security Requirement Object"); tools that know only
            // 3.0 read `x-scopes`.
            let names = (scopes + [.operate]).map(\.rawValue)
            text["security"] = names.map { ["token": [$0]] }
            text["x-scopes"] = names
        } else {
            text["security"] = [String]()
        }
        return text
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

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The OpenAPI 3.1 document, made of the operations themselves.
struct OpenAPIDocument: Sendable {
    /// The document.
    let node: JSONNode
    private let bytes: ByteBuffer

    /// - Parameter operations: what it tells of; strangers read it, so nothing of the configuration stands in it.
    init(_ operations: [APIOperation] = APIOperation.all) {
        var paths: [String: [String: JSONNode]] = [:]
        for operation in operations {
            paths[operation.path, default: [:]][operation.method.rawValue.lowercased()] = Self.node(of: operation)
        }
        self.node = [
            "openapi": "3.1.0",
            "info": [
                "title": "idcard-pipeline", "version": "1",
                "description": .string(
                    "Takes photos of ID cards in. Errors are problem details (RFC 9457) with a stable `code`. Nothing "
                        + "personal stands in an answer unless it is asked for."
                ),
            ],
            "paths": .object(paths.mapValues { .object($0) }),
            "components": [
                "schemas": .object(Self.schemas),
                "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
            ],
        ]
        self.bytes = JSONAnswer.bytes(of: self.node)
    }

    /// `GET /openapi.json`.
    func answer() -> Response {
        Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: self.bytes))
    }

    private static func node(of operation: APIOperation) -> JSONNode {
        var node: [String: JSONNode] = [
            "operationId": .string(operation.id), "summary": .string(operation.summary),
            "responses": .object(self.responses(of: operation)),
        ]
        if !operation.parameters.isEmpty { node["parameters"] = .array(operation.parameters.map(self.node(of:))) }
        if !operation.bodies.isEmpty {
            let contents = operation.bodies.map { ($0.mediaType, self.node(of: $0)) }
            node["requestBody"] = [
                "required": .bool(operation.isBodyRequired),
                "content": .object(Dictionary(uniqueKeysWithValues: contents)),
            ]
        }
        switch operation.access {
        case .open, .signature: node["security"] = []
        case .token(let scope):
            node["security"] = [["token": .strings([scope.rawValue])]]
            node["x-scope"] = .string(scope.rawValue)
        }
        return .object(node)
    }

    private static func node(of parameter: APIOperation.Parameter) -> JSONNode {
        [
            "name": .string(parameter.name), "in": .string(parameter.place), "schema": parameter.schema,
            "required": .bool(parameter.isRequired), "description": .string(parameter.description),
        ]
    }

    private static func node(of content: APIOperation.Content) -> JSONNode {
        var node = ["schema": content.schema]
        node["encoding"] = content.encoding
        return .object(node)
    }

    private static func responses(of operation: APIOperation) -> [String: JSONNode] {
        var responses: [String: JSONNode] = [:]
        let problems = Dictionary(grouping: operation.allProblems, by: \.status.code)
        for (status, codes) in problems {
            responses["\(status)"] = self.response(
                codes.map { "`\($0.name)`: \($0.title)" }.joined(separator: "\n\n"),
                content: [Problem.mediaType: ["schema": self.problemSchema(codes)]],
                headers: self.problemHeaders(status)
            )
        }
        for answer in operation.answers {
            let status = "\(answer.status.code)"
            var content = [answer.content.mediaType: self.node(of: answer.content)]
            if let codes = problems[answer.status.code] {
                content[Problem.mediaType] = ["schema": self.problemSchema(codes)]
            }
            let headers = answer.headers.mapValues { JSONNode.header($0) }
            responses[status] = self.response(answer.description, content: content, headers: headers)
        }
        return responses
    }

    private static func response(
        _ description: String,
        content: [String: JSONNode],
        headers: [String: JSONNode]
    ) -> JSONNode {
        var headers = headers
        headers["Request-Id"] = .header("The name of the request in the log.")
        return ["description": .string(description), "content": .object(content), "headers": .object(headers)]
    }

    private static func problemSchema(_ codes: [ProblemCode]) -> JSONNode {
        [
            "allOf": [
                .reference("Problem"),
                ["properties": ["code": ["enum": .strings(codes.map(\.name).sorted())]]],
            ]
        ]
    }

    private static func problemHeaders(_ status: Int) -> [String: JSONNode] {
        switch status {
        case 401: ["WWW-Authenticate": .header("How to authenticate.")]
        case 429, 503: ["Retry-After": .header("When to try again, in seconds.")]
        default: [:]
        }
    }
}

extension JSONNode {
    /// A header field of an answer.
    static func header(_ description: String) -> JSONNode {
        ["description": .string(description), "schema": ["type": "string"]]
    }
}

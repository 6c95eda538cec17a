import CardModel
import CardStore
import Foundation
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@testable import CardServer

/// The served document: whole, consistent, and about what is really there.
@Suite(.timeLimit(.minutes(5))) struct OpenAPITests {
    private let document = OpenAPIShape.document

    /// A part that others refer to.
    private func schema(_ name: String, of kind: String = "schemas") throws -> [String: Any] {
        let components = try #require(self.document["components"] as? [String: [String: Any]])
        return try #require(components[kind]?[name] as? [String: Any])
    }

    @Test func `the document is served as it is`() async throws {
        try await ServerHarness.with { (harness) async throws in
            let response = try await harness.send(RawRequest("GET", "/openapi.json"))
            #expect(response["content-type"] == "application/json")
            #expect(response.body == Data(OpenAPIDocument.bytes.readableBytesView))
        }
    }

    /// Method and path of every operation that a document describes.
    private func described(_ document: [String: Any]) throws -> [String: [String: Any]] {
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        var operations: [String: [String: Any]] = [:]
        for (path, methods) in paths {
            for (method, node) in methods { operations["\(method.uppercased()) \(path)"] = node }
        }
        return operations
    }

    @Test func `an endpoint stands as the document says`() throws {
        let path = "components schemas Readiness properties stages additionalProperties properties status enum"
        let node = path.split(separator: " ").reduce(document as Any?) { ($0 as? [String: Any])?[String($1)] }
        #expect(node as? [String] == EndpointState.allCases.map(\.rawValue))
    }

    @Test func `every route is described, and everything that is described has a route`() async throws {
        let described = Set(try self.described(self.document).keys)
        let routed = try await ServerHarness.with { (harness) async throws in
            Set(
                harness.server.router().routes
                    .filter { $0.method != .head }
                    .map { "\($0.method.rawValue) \($0.path)" }
            )
            // Pages are no part of the API.
            .subtracting(ConsoleRoute.all.map { "\($0.method.rawValue) \($0.path)" })
        }
        #expect(described == routed)
        #expect(Set(APIOperation.all.map { "\($0.method.rawValue) \($0.path)" }) == routed)
    }

    @Test func `every member that an answer always has is required`() throws {
        let components = try #require(self.document["components"] as? [String: [String: Any]])
        // What a request may leave out, and what a reading may lack.
        let optional = ["CardFields", "CardMessage", "Decision", "OtherMessage", "SubmissionForm", "Why"]
        for (name, schema) in components["schemas"] ?? [:] where !optional.contains(name) {
            guard let schema = schema as? [String: Any], let properties = schema["properties"] as? [String: Any] else {
                continue
            }
            #expect(Set(schema["required"] as? [String] ?? []) == Set(properties.keys), "\(name)")
        }
    }

    @Test func `the manual names each operation with its scopes, and each metric`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/CardCommand")
        let page = try String(contentsOf: root.appending(path: "CardCommand.docc/HTTP.md"), encoding: .utf8)
        let lines = page.split(separator: "\n")
        for operation in APIOperation.all {
            let path = operation.path.replacing(/{[a-z_]+}/, with: "{id}")
            let rows = lines.filter { $0.hasPrefix("|") && $0.contains("`\(operation.method) \(path)") }.joined()
            #expect(!rows.isEmpty, "\(operation.method) \(path)")
            guard case .token(let scopes) = operation.access else { continue }
            for scope in scopes { #expect(rows.contains(scope.rawValue), "\(operation.method) \(path)") }
        }
        for metric in ServerMetrics.Metric.all { #expect(page.contains("`\(metric.name)"), "\(metric)") }
    }

    @Test func `every operation names its ways to be refused, what it needs, and what stands in its path`() throws {
        #expect(document["openapi"] as? String == "3.1.0")
        let described = try self.described(document)
        for operation in APIOperation.all {
            let node = try #require(described["\(operation.method.rawValue) \(operation.path)"])
            let responses = try #require(node["responses"] as? [String: Any])
            #expect(Set(operation.problems.map { "\($0.status.code)" }).isSubset(of: responses.keys))
            #expect(responses.keys.contains { $0.hasPrefix("2") }, "\(operation.path)")
            let security = try #require(node["security"] as? [[String: Any]])
            if case .token(let scopes) = operation.access {
                let names = (scopes + [.operate]).map(\.rawValue)
                #expect(security as? [[String: [String]]] == names.map { ["token": [$0]] })
                #expect(node["x-scopes"] as? [String] == names)
            } else {
                #expect(security.isEmpty && node["x-scopes"] == nil)
            }
            #expect((node["requestBody"] != nil) == operation.hasBody, "\(operation.path)")
            let parameters = node["parameters"] as? [[String: Any]] ?? []
            let inPath = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }
            let isDescribed = parameters.contains { $0["in"] as? String == "path" || $0["$ref"] != nil }
            #expect(inPath.isEmpty || isDescribed, "\(operation.path)")
        }
    }

    @Test func `every path takes the methods that are described, and no other`() async throws {
        try await ServerHarness.with { (harness) async throws in
            for operation in APIOperation.all {
                let target = operation.path.replacing("{card_id}", with: "x").replacing("{run_id}", with: "x")
                let known = try await harness.send(RawRequest(operation.method.rawValue, target, token: "all"))
                #expect(known.code != "not_found", "\(operation.path)")
                #expect(known.status != 405, "\(operation.path)")
                let other = try await harness.send(RawRequest("PATCH", target, token: "all"))
                #expect(other.status == 405, "\(operation.path)")
                #expect(other["allow"]?.contains(operation.method.rawValue) == true)
            }
            #expect(try await harness.send(RawRequest("GET", "/v1/nothing", token: "all")).code == "not_found")
        }
    }

    @Test func `every reference leads somewhere, and every shared part is referred to`() throws {
        let components = try #require(document["components"] as? [String: [String: Any]])
        var referred: Set<String> = []
        self.collectReferences(in: document, into: &referred)
        let parts = components.filter { $0.key != "securitySchemes" }.flatMap { kind, parts in
            parts.keys.map { "#/components/\(kind)/\($0)" }
        }
        #expect(referred == Set(parts))
    }

    private func collectReferences(in node: Any, into names: inout Set<String>) {
        if let object = node as? [String: Any] {
            if let reference = object["$ref"] as? String { names.insert(reference) }
            for value in object.values { self.collectReferences(in: value, into: &names) }
        } else if let array = node as? [Any] {
            for value in array { self.collectReferences(in: value, into: &names) }
        }
    }

    @Test func `the closed sets of the document are those of the program`() throws {
        let components = try #require(self.document["components"] as? [String: [String: Any]])
        let schemas = try #require(components["schemas"] as? [String: [String: Any]])
        #expect(schemas["CardState"]?["enum"] as? [String] == CardState.allCases.map(\.rawValue))
        #expect(schemas["CaseState"]?["enum"] as? [String] == CaseState.allCases.map(\.rawValue))
        #expect(schemas["CardSide"]?["enum"] as? [String] == CardSide.allCases.map(\.rawValue))
        let decision = schemas["Decision"]?["properties"] as? [String: [String: Any]]
        #expect(decision?["as"]?["enum"] as? [String] == Resolution.allCases.map(\.rawValue))
        let run = schemas["Run"]?["properties"] as? [String: [String: Any]]
        #expect(run?["state"]?["enum"] as? [String] == RunStatus.State.allCases.map(\.rawValue))
        let form = schemas["SubmissionForm"]?["properties"] as? [String: Any]
        let names = SubmittedField.allCases.map(\.rawValue) + ["image", "front", "back"]
        #expect(Set(form?.keys.map { $0 } ?? []) == Set(names))
        let key = schemas["BusinessNumber"]?["maxLength"] as? Int
        #expect(key == BusinessNumber.maximumLength)
    }

    @Test(arguments: [
        "L-1", " L 1 ", "a=1", "#7", "#7!#", "\"", "\"a", "案号 1", "=1", " ='1", "'1", "\"1\"", "\"1\" ", "#REF!",
        "#NAME? ", "###", " # ", "", "  ", "a\u{200B}", "a\nb",
    ])
    func `the pattern of a business number takes what the program takes`(text: String) throws {
        let pattern = try Regex(#require(self.schema("BusinessNumber")["pattern"] as? String))
        let isTaken = text.firstMatch(of: pattern.matchingSemantics(.unicodeScalar)) != nil
        #expect(isTaken == (BusinessNumber(text) != nil))
    }

    @Test(arguments: [
        (SubmittedField.side, "SideText", ["", " ", "\u{A0}", "front", " Back\t", "国徽面"]),
        (.priority, "PriorityText", ["", "\u{A0}", "5", " -7 ", "+1000000", "-0000001"]),
        (.businessNumber, "EncodedNumber", ["", " ", "LOAN-1", "%E4%B8%80", "a%20b"]),
    ])
    func `the patterns of texts take what the program takes, blank ones, too`(
        field: SubmittedField,
        name: String,
        texts: [String]
    ) throws {
        let schema = try self.schema(name)
        let choices = schema["anyOf"] as? [[String: Any]] ?? [schema]
        let pattern = try Regex(#require(choices.compactMap { $0["pattern"] as? String }.first))
        for text in texts {
            #expect(throws: Never.self, "\(text)") {
                try SubmittedFields([field: (try? HeaderText.decode(text, of: .why)) ?? text])
            }
            #expect(text.firstMatch(of: pattern.matchingSemantics(.unicodeScalar)) != nil, "\(text)")
        }
    }

    @Test(arguments: [(200, true), (201, false)])
    func `a purpose is as long as the program takes it`(length: Int, isTaken: Bool) async throws {
        let why = try self.schema("why", of: "parameters")
        let pattern = try Regex(#require((why["schema"] as? [String: Any])?["pattern"] as? String))
        let text = String(repeating: "w", count: length)
        #expect((text.firstMatch(of: pattern.matchingSemantics(.unicodeScalar)) != nil) == isTaken)
        try await ServerHarness.with { (harness) async throws in
            let request = RawRequest("DELETE", "/v1/cards/none", token: "operator", headers: [("Card-Why", text)])
            #expect(try await harness.send(request).status == (isTaken ? 404 : 422))
        }
    }
}

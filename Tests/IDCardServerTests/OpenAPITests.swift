import Foundation
import HTTPTypes
import IDCardTesting
import Testing

@testable import IDCardServer

/// The served document: whole, consistent, and about what is really there.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct OpenAPITests {
    private func document(_ harness: ServerHarness) async throws -> [String: Any] {
        let response = try await harness.send(RawRequest("GET", "/openapi.json"))
        #expect(response["content-type"] == "application/json")
        return response.json
    }

    @Test("Every operation and every one of its statuses stands in it, and nothing else")
    func complete() async throws {
        try await ServerHarness.with { (harness) async throws in
            let document = try await self.document(harness)
            #expect(document["openapi"] as? String == "3.1.0")
            let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
            var found: Set<String> = []
            for (path, methods) in paths {
                for (method, node) in methods {
                    let operation = try #require(
                        APIOperation.all.first { $0.path == path && $0.method.rawValue.lowercased() == method }
                    )
                    found.insert(operation.id)
                    let responses = try #require(node["responses"] as? [String: Any])
                    #expect(Set(responses.keys) == Set(operation.statuses.map(String.init)), "\(operation.id)")
                }
            }
            #expect(found == Set(APIOperation.all.map(\.id)))
        }
    }

    @Test("Every documented operation is there, and its path takes no other method")
    func routed() async throws {
        try await ServerHarness.with { (harness) async throws in
            let token = ServerHarness.all.reveal()
            for operation in APIOperation.all {
                let target = operation.path.replacing("{card_id}", with: "x").replacing("{run_id}", with: "x")
                let known = try await harness.send(RawRequest(operation.method.rawValue, target, token: token))
                #expect(known.code != "not_found", "\(operation.id)")
                #expect(known.status != 405, "\(operation.id)")
                let other = try await harness.send(RawRequest("PATCH", target, token: token))
                #expect(other.status == 405, "\(operation.id)")
                #expect(other["allow"]?.contains(operation.method.rawValue) == true)
            }
        }
    }

    @Test("Every reference leads somewhere, and every schema is referred to")
    func references() async throws {
        try await ServerHarness.with { (harness) async throws in
            let document = try await self.document(harness)
            let components = try #require(document["components"] as? [String: Any])
            let schemas = try #require(components["schemas"] as? [String: Any])
            var referred: Set<String> = []
            self.collectReferences(in: document, into: &referred)
            #expect(referred == Set(schemas.keys))
        }
    }

    private func collectReferences(in node: Any, into names: inout Set<String>) {
        if let object = node as? [String: Any] {
            if let reference = object["$ref"] as? String, let name = reference.split(separator: "/").last {
                names.insert(String(name))
            }
            for value in object.values { self.collectReferences(in: value, into: &names) }
        } else if let array = node as? [Any] {
            for value in array { self.collectReferences(in: value, into: &names) }
        }
    }

    @Test("Strangers do not learn from it what the sources are called")
    func sources() async throws {
        try await ServerHarness.with { (harness) async throws in
            let document = try await harness.send(RawRequest("GET", "/openapi.json"))
            #expect(document.text.contains("RunRequest"))
            #expect(!document.text.contains(FakeRuns.source))
        }
    }

    @Test("Every parameter of a path is described")
    func pathParameters() {
        for operation in APIOperation.all {
            let names = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                $0.dropFirst().dropLast()
            }
            let described = operation.parameters.filter { $0.place == "path" }.map(\.name)
            #expect(names.map(String.init) == described, "\(operation.id)")
        }
    }

    @Test("Every problem of the closed set is documented by some operation, or belongs to no operation")
    func codes() {
        let documented = Set(APIOperation.all.flatMap(\.allProblems))
        // What meets a request that is none of ours.
        let outside: Set<ProblemCode> = [.notFound, .methodNotAllowed]
        #expect(documented.isDisjoint(with: outside))
        #expect(documented.union(outside) == Set(ProblemCode.allCases))
    }
}

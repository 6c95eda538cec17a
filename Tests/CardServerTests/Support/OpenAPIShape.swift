import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import CardServer

/// Compares answers with what the served document says of them: which members an object has, and which it always has.
enum OpenAPIShape {
    /// Never changed.
    nonisolated(unsafe) static let document =
        (try? JSONSerialization.jsonObject(with: Data(OpenAPIDocument.bytes.readableBytesView))) as? [String: Any]
        ?? [:]

    /// Expects that an operation documents the status of an answer, and the members of its JSON.
    static func expect(_ response: RawResponse, of operation: APIOperation) {
        let what = "\(operation.method) \(operation.path) \(response.status)"
        let path = ["paths", operation.path, operation.method.rawValue.lowercased(), "responses", "\(response.status)"]
        guard let documented = self.resolved(path.reduce(self.document as Any?) { ($0 as? [String: Any])?[$1] }) else {
            Issue.record("\(what) is not documented")
            return
        }
        let type = response["content-type"] ?? ""
        let media = (documented["content"] as? [String: Any])?[type] as? [String: Any]
        guard type.hasSuffix("json"), operation.path != "/openapi.json" else { return }
        guard let schema = media?["schema"], let value = try? JSONSerialization.jsonObject(with: response.body) else {
            if !response.body.isEmpty { Issue.record("\(what) has a body that is not documented") }
            return
        }
        self.compare(value, with: schema, at: what)
    }

    private static func compare(_ value: Any, with schema: Any, at place: String) {
        guard let schema = self.resolved(schema), !(value is NSNull) else { return }
        for part in schema["allOf"] as? [Any] ?? [] { self.compare(value, with: part, at: place) }
        for part in schema["anyOf"] as? [Any] ?? [] { self.compare(value, with: part, at: place) }
        if let forms = schema["oneOf"] as? [Any] {
            let keys = Set((value as? [String: Any] ?? [:]).keys)
            let fitting = forms.filter { form in
                keys.isSuperset(of: self.resolved(form)?["required"] as? [String] ?? [])
            }
            #expect(fitting.count == 1, "\(place) has one of several forms")
            for form in fitting { self.compare(value, with: form, at: place) }
        }
        if let list = value as? [Any], let items = schema["items"] {
            for item in list { self.compare(item, with: items, at: place) }
        }
        guard let object = value as? [String: Any], let properties = schema["properties"] as? [String: Any] else {
            return
        }
        let required = Set(schema["required"] as? [String] ?? [])
        #expect(required.subtracting(object.keys).isEmpty, "\(place) lacks members")
        if schema["additionalProperties"] as? Bool == false {
            #expect(Set(object.keys).subtracting(properties.keys).isEmpty, "\(place) has members of no name")
        }
        for (name, member) in object {
            guard let inner = properties[name] else { continue }
            self.compare(member, with: inner, at: "\(place) \(name)")
        }
    }

    /// A node, or the shared part that it refers to.
    private static func resolved(_ node: Any?) -> [String: Any]? {
        guard let object = node as? [String: Any] else { return nil }
        guard let reference = object["$ref"] as? String else { return object }
        return self.resolved(
            reference.dropFirst(2).split(separator: "/").reduce(self.document as Any?) {
                ($0 as? [String: Any])?[String($1)]
            }
        )
    }
}

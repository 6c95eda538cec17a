import Foundation
import TestSupport
import Testing

@testable import CardServer

/// A browser as far as the console can tell: it keeps the cookie, and says where its requests come from.
struct ConsoleVisitor: Sendable {
    let harness: ServerHarness
    var cookie: String?

    /// Signs in with a token.
    init(_ harness: ServerHarness, as token: String) async throws {
        self.harness = harness
        let answer = try await self.post("/console/sign-in", ["token": token])
        self.cookie = try #require(answer["set-cookie"]).split(separator: ";").first.map(String.init)
    }

    init(_ harness: ServerHarness) { self.harness = harness }

    func get(_ target: String, headers: [(String, String)] = []) async throws -> RawResponse {
        try await self.harness.send(RawRequest("GET", target, headers: self.cookies + headers))
    }

    func post(
        _ target: String,
        _ fields: KeyValuePairs<String, String> = [:],
        from origin: [(String, String)] = [("Sec-Fetch-Site", "same-origin")]
    ) async throws -> RawResponse {
        let body = fields.map { "\(Self.encoded($0.key))=\(Self.encoded($0.value))" }.joined(separator: "&")
        return try await self.post(target, origin, "application/x-www-form-urlencoded", Data(body.utf8))
    }

    func send(_ form: HandWrittenForm, to target: String) async throws -> RawResponse {
        try await self.post(target, [("Sec-Fetch-Site", "same-origin")], form.contentType, Data(form.body))
    }

    private func post(_ target: String, _ origin: [(String, String)], _ type: String, _ body: Data) async throws
        -> RawResponse
    {
        let headers = self.cookies + origin + [("Content-Type", type)]
        return try await self.harness.send(RawRequest("POST", target, headers: headers, body: body))
    }

    private var cookies: [(String, String)] { self.cookie.map { [("Cookie", $0)] } ?? [] }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}

extension RawResponse {
    /// The page as it was sent.
    var page: String { String(decoding: self.body, as: UTF8.self) }
}

import Foundation
import TestSupport
import Testing

/// A configuration file for endpoints over HTTP, as a user writes it: lines of YAML by section.
///
/// No test depends on how fast cards are read: `run.patience` stays at its minute.
struct RemoteConfiguration {
    var verification = ["api_key: the-key", "api_secret: the-secret"]
    var delivery = ["token: token-a", "user_no: U-1", "retcode: {token_expired: ['100001']}"]
    /// Further keys of `delivery`.
    var more: [String] = []
    /// Whole sections.
    var others: [String] = []

    /// Writes the file with mode 0600 into the tool's home. In its lines `PORT` stands for that of the backend.
    ///
    /// - Returns: the arguments that name it.
    func write(for tool: Tool, verifier: String, backend: String) throws -> [String] {
        let lines =
            ["verification:", "  url: \(verifier)"] + self.verification.map { "  \($0)" }
            + ["delivery:", "  url: \(backend)"] + (self.delivery + self.more).map { "  \($0)" }
            + ["retry: {base: 10ms, cap: 100ms}"] + self.others
        let text = lines.joined(separator: "\n").replacing("PORT", with: "\(URL(string: backend)?.port ?? 0)")
        return ["--config", try tool.secretFile("idcard-pipeline.yaml", text + "\n").path]
    }
}

extension Tool {
    /// Writes a file that only its owner may read, in place of an older one.
    func secretFile(_ name: String, _ text: String, mode: Int = 0o600) throws -> URL {
        let url = self.home.appending(path: name)
        try Data(text.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        return url
    }

    /// Makes a folder with the front and the back of each business number, each of another holder.
    func pairs(_ numbers: [String] = ["R-1"]) throws -> URL {
        let photos = zip(UInt8(1)..., numbers).flatMap { holder, number in
            [("\(number)/front.jpg", MarkedPhoto.front(holder)), ("\(number)/back.jpg", MarkedPhoto.back(holder))]
        }
        return try self.folder("photos", Dictionary(uniqueKeysWithValues: photos))
    }

    /// Serves a verifier in this process and the built-in backend in its own, with a configuration that names both, until
    /// the function is done.
    ///
    /// - Parameter options: further arguments of the backend.
    func servingBoth(
        with configuration: RemoteConfiguration = RemoteConfiguration(),
        verifier: MarkVerifier = MarkVerifier(),
        backend options: [String] = ["--token", "token-a"],
        _ body: (_ file: [String]) async throws -> Void
    ) async throws {
        try await verifier.serving { verifier in
            try await self.serving(["backend", "--documents", self.documents.path] + options) { backend in
                try await body(configuration.write(for: self, verifier: verifier, backend: backend))
            }
        }
    }

    /// Serves a verifier and a backend in this process, with a configuration that names both, until the function is done.
    @discardableResult
    func serving<Value: Sendable>(
        _ verifier: MarkVerifier,
        _ backend: ScriptedBackend,
        _ configuration: RemoteConfiguration = RemoteConfiguration(),
        _ body: (_ file: [String]) async throws -> Value
    ) async throws -> Value {
        try await verifier.serving { verifier in
            try await backend.serving { backend in
                try await body(configuration.write(for: self, verifier: verifier, backend: backend))
            }
        }
    }

    /// The folder of the backend that `servingBoth` starts.
    var documents: URL { self.home.appending(path: "documents") }

    /// What that backend accepted, in order.
    func ledger() throws -> [LedgerEntry] { try self.documentLines("ledger.jsonl") }

    /// What that backend refused, in order.
    func refusals() throws -> [RefusalEntry] { try self.documentLines("refusals.jsonl") }

    /// The lines of a file in that folder; none if there is no such file.
    private func documentLines<Line: Decodable>(_ file: String) throws -> [Line] {
        let data = FileManager.default.contents(atPath: self.documents.appending(path: file).path) ?? Data()
        return try data.split(separator: UInt8(ascii: "\n")).map { try Self.decoder.decode(Line.self, from: $0) }
    }

    /// Expects that backend to have each of so many documents once, in order.
    func expectAllOnce(_ count: Int) throws {
        let ledger = try self.ledger()
        #expect(Set(ledger.map { "\($0.businessNo) \($0.doctype)" }).count == count)
        #expect(ledger.count == count && ledger.allSatisfy { !$0.outOfOrder })
        #expect(try self.refusals().isEmpty, "something was sent twice under another key")
    }
}

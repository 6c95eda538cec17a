import CardModel
import CardStore
import Foundation
import Subprocess
import TestSupport
import Testing

/// A command that a message tells people to run works where the message is shown: it is taken from the message, and run.
@Suite(.timeLimit(.minutes(5))) struct FollowedCommandTests {
    private let tool: Tool

    init() throws { self.tool = try Tool() }

    /// Settings of endpoints that no one serves.
    private func remotes(_ others: [String] = []) throws -> [String] {
        try RemoteConfiguration(others: others)
            .write(for: self.tool, verifier: "http://127.0.0.1:9/", backend: "http://127.0.0.1:9/")
    }

    // MARK: Keys

    @Test func `without a key and a sandbox, keys init and run make them`() async throws {
        let tool = try Tool(withKey: false)
        let file = try RemoteConfiguration()
            .write(for: tool, verifier: "http://127.0.0.1:9/", backend: "http://127.0.0.1:9/")
        let status = try await tool.run(["status"] + file, ends: 66)
        let keyless = try await tool.follow("run", in: status.errors, file, ends: 78)
        try await tool.follow("keys init", in: keyless.errors, file, ends: 0)
        try await tool.follow("run", in: status.errors, file, ends: 0)
        try await tool.run(["status"] + file, ends: 0)
    }

    @Test func `a rotation that was cut off is finished, and another one is possible`() async throws {
        try await self.tool.admitting(["R-1"])
        let path = ".config/idcard-pipeline/vault.key"
        let key = try String(contentsOf: self.tool.home.appending(path: path), encoding: .utf8)
        let first = try #require(key.split(separator: "\n").last { !$0.hasPrefix("#") })
        _ = try self.tool.secretFile(path, "\(first)\n\(Tool.randomKey())\n")
        let finished = try await self.tool.run(["keys", "rotate"], ends: 0)
        let rotated = try await self.tool.follow("keys rotate", in: finished.output, ends: 0)
        #expect(rotated.output.contains("1 card key is now encrypted with the new key"), "\(rotated.output)")
        try await self.tool.run(["fsck"], ends: 0)
    }

    @Test func `a key in the environment is rotated once the new one stands before it`() async throws {
        let (first, second) = (Tool.randomKey(), Tool.randomKey())
        let file = try self.remotes()
        try await self.tool.run(["run"] + file, ["IDCARD_VAULT_KEY": first], ends: 0)
        let rotate = ["keys", "rotate"] + file
        let refused = try await self.tool.run(rotate, ["IDCARD_VAULT_KEY": first], ends: 78)
        #expect(refused.errors.contains("put it before the current key in vault.key"), "\(refused.errors)")
        try await self.tool.run(rotate, ["IDCARD_VAULT_KEY": "\(second),\(first)"], ends: 0)
        try await self.tool.run(["fsck"] + file, ["IDCARD_VAULT_KEY": second], ends: 0)
    }

    // MARK: Tokens

    @Test func `a tokens file of another kind is moved away, and a token is made`() async throws {
        let path = try self.tool.secretFile(".config/idcard-pipeline/tokens.json", "{}").path
        let add = ["desk", "--scope", "submit"]
        for command in [["tokens", "list"], ["tokens", "add"] + add, ["tokens", "revoke", "desk"]] {
            let refused = try await self.tool.run(command, ends: 78)
            #expect(refused.errors.contains("move it away, then make a token: "), "\(refused.errors)")
        }
        let refused = try await self.tool.run(["tokens", "list"], ends: 78)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        try await self.tool.follow("tokens add", in: refused.errors, add, ends: 0)
        try await self.tool.run(["tokens", "list"], ends: 0)
    }

    @Test func `a server that no client may ask says how a token is made`() async throws {
        let said = try await self.tool.serve(try self.remotes()) { _, _ in }
        let line = try #require(said.first { $0.contains("no client has access yet") }, "\(said)")
        try await self.tool.follow("tokens add NAME --scope submit", in: line, ends: 0)
        // As the sign-in page of the console says.
        try await self.tool.run(["tokens", "add", "NAME", "--scope", "review", "reveal"], ends: 0)
        let again = try await self.tool.serve(try self.remotes()) { _, _ in }
        #expect(!again.contains { $0.contains("no client has access yet") }, "\(again)")
    }

    @Test func `a server for other machines that no client may ask starts once a token is made`() async throws {
        let authority = try await TestAuthority("specimen")
        defer { authority.remove() }
        let issued = try await authority.issue("server", names: "DNS:localhost")
        let certificate = try self.tool.secretFile("server.pem", issued.certificate).path
        let key = try self.tool.secretFile("server.key", issued.key).path
        let server = "server: {listen: '0.0.0.0:0', tls: {certificate: \(certificate), key: \(key)}}"
        let file = try self.remotes([server])
        let refused = try await self.tool.run(["serve"] + file, ends: 78)
        try await self.tool.follow("tokens add NAME --scope submit", in: refused.errors, ends: 0)
        let status = try await self.tool.running(["serve"] + file) { lines, send in
            #expect(try await lines.line(containing: "listening on ") != nil, "\(lines.seen)")
            try send(.terminate)
        }
        #expect(status == 143)
    }

    // MARK: Endpoints

    @Test func `an endpoint that waits is called at once by the name that status shows`() async throws {
        let store = try await self.tool.sandbox()
        let now = Timestamp(Date())
        try await store.admitAddress("https://photos.example/a.jpg", host: "photos.example:443", now: now)
        for (stage, host) in [(Stage.fetch, "photos.example:443"), (.verify, "v.example:443"), (.deliver, "b.example")]
        {
            let wait = Wait(from: now, until: now.advanced(by: .seconds(3_600)))
            let failure = RemoteFailure.specimen(.throttled)
            try await store.endpoints.pause(
                EndpointPause(stage: stage, host: host, after: failure, since: now, wait: wait)
            )
        }
        try store.close()
        let status = try await self.tool.run(["status"], ends: 0).output
        for name in ["photos.example:443", "verifier", "backend"] {
            let resumed = try await self.tool.follow("resume \(name)", in: status, ends: 0)
            #expect(resumed.output.contains("no process is running"), "\(resumed.output)")
        }
        #expect(try await !self.tool.run(["status"], ends: 0).output.contains("idcard-pipeline resume"))
    }

    // MARK: Two persons

    @Test func `who wants an action off the list is agreed with or refused, as status says`() async throws {
        let store = try await self.tool.sandbox(fourEyes: [.accept])
        let li = try AccessOrigin(Caller(subject: "li.na", scopes: [.operate]), actor: "token:li.na", purpose: "T-1")
        for answer in ["review keep accept", "review drop accept"] {
            _ = try await store.decisions.dropFourEyes(.accept, by: li, now: Timestamp(Date()))
            let status = try await self.tool.run(["status"], ends: 0).output
            try await self.tool.follow(answer, in: status, ends: 0)
            #expect(try await !self.tool.run(["status"], ends: 0).output.contains("li.na"))
        }
        #expect(try await store.decisions.fourEyes().isEmpty)
        try store.close()
        let refused = try await self.tool.run(["review", "keep", "accept"], ends: 1)
        try await self.tool.follow("review list", in: refused.errors, ends: 0)
    }

    @Test func `an erasure that waits for a second person is taken back`() async throws {
        let card = try await self.tool.admitting(["R-1"])[0].rawValue
        try await self.tool.sandbox(fourEyes: [.erase]).close()
        let unasked = try await self.tool.run(["cards", "erase", card], ends: 64)
        #expect(unasked.errors.contains("add --yes"), "\(unasked.errors)")
        let erase = ["cards", "erase", card, "--yes"]
        let waits = try await self.tool.run(erase, ends: 0)
        let back = try await self.tool.follow("cards resolve \(card) --as withdraw", in: waits.errors, ends: 0)
        let run = try await self.tool.follow("run", in: back.errors, try self.remotes(["run: {patience: 1s}"]))
        #expect(run.status == 75, "no one serves the endpoints: \(run.errors)")
        #expect(try await self.tool.run(erase, ends: 0).output.isEmpty, "it waits once more")
    }

    // MARK: Backups

    @Test func `a sandbox that cannot be read is replaced by force`() async throws {
        try await self.tool.admitting(["R-1"])
        let (backup, database) = (
            self.tool.home.appending(path: "backup").path, self.tool.sandboxFolder.path + "/sandbox.sqlite3"
        )
        for name in ["", ".txt"] {
            let text = name.isEmpty ? "is not there" : "is another file"
            if !name.isEmpty { try Data(text.utf8).write(to: URL(filePath: backup + name)) }
            let refused = try await self.tool.run(["restore", backup + name, "--force"])
            #expect(refused.status != 0 && refused.errors.contains("command backup"), "\(refused.errors)")
        }
        try await self.tool.run(["backup", backup], ends: 0)
        try Data(repeating: 7, count: 50_000).write(to: URL(filePath: database))
        let refused = try await self.tool.run(["restore", backup], ends: 64)
        #expect(refused.errors.contains("replace it with --force"), "\(refused.errors)")
        let restored = try await self.tool.run(["restore", backup, "--force"], ends: 0)
        let list = try await self.tool.follow("cards list --state held", in: restored.output + restored.errors, ends: 0)
        #expect(list.output.contains("restored"), "\(list.output)")
    }

    @Test func `erased cards that a restore brings back go again with the list of erasures`() async throws {
        let card = try await self.tool.admitting(["R-1"])[0].rawValue
        let (backup, kept) = (
            self.tool.home.appending(path: "backup").path, self.tool.home.appending(path: "kept.jsonl").path
        )
        try await self.tool.run(["backup", backup], ends: 0)
        try await self.tool.run(["cards", "erase", card, "--yes"], ends: 0)
        let list = self.tool.sandboxFolder.appending(path: "erasures.jsonl").path
        try FileManager.default.moveItem(atPath: list, toPath: kept)
        try FileManager.default.removeItem(at: self.tool.sandboxFolder)
        let without = try await self.tool.run(["restore", backup], ends: 0)
        #expect(without.errors.contains("restore again and name the list: --force --erasures FILE"), "\(without)")
        try await self.tool.run(["restore", backup, "--force", "--erasures", kept], ends: 0)
        let erased = try await self.tool.run(["cards", "list", "--state", "erased", "--quiet"], ends: 0)
        #expect(erased.lines == [card])
    }

    @Test func `what can be repaired is, by the command that the check names`() async throws {
        try await self.tool.admitting(["R-1"])
        try await self.tool.plant("INSERT INTO state_total VALUES ('delivered', 1, 0)")
        let found = try await self.tool.run(["fsck"], ends: 1)
        #expect(found.output.contains("count_wrong"), "\(found.output)")
        try await self.tool.follow("fsck --repair", in: found.output, ends: 0)
        try await self.tool.run(["fsck"], ends: 0)
    }
}

extension Tool {
    /// Runs a command that a text tells people to run.
    ///
    /// - Parameter more: what stands behind it.
    @discardableResult
    func follow(
        _ command: String,
        in text: String,
        _ more: [String] = [],
        ends expected: Int32? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        // Options that say which sandbox is meant stand behind the name of the command.
        let plain = text.replacing(#/ --(?:config|sandbox) \S+| --embedded/#, with: "")
        #expect(plain.contains("idcard-pipeline \(command)"), "\(text)", sourceLocation: sourceLocation)
        let words = command.split(separator: " ").map(String.init)
        return try await self.run(words + more, ends: expected, sourceLocation: sourceLocation)
    }
}

extension Sandbox {
    /// Takes in a card whose photo is still to be fetched.
    fileprivate func admitAddress(_ address: String, host: String, now: Timestamp) async throws {
        var random = SystemRandomNumberGenerator()
        let photo = NewCard(
            id: CardID.generate(at: now, using: &random),
            photo: Photo(
                .address(Redacted(address)),
                name: Redacted("a.jpg"),
                metadata: CardMetadata(businessNumber: BusinessNumber(stored: "R-1"))
            ),
            submitter: "local",
            source: nil,
            content: .remote(Redacted(address), host: host),
            waitsUntil: now
        )
        _ = try await self.intake.admit([photo], now: now)
    }
}

import AsyncHTTPClient
import Foundation
import Glibc
import IDCardTesting
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Subprocess
import Testing

/// Root and a service user at work on one sandbox, whose parent folder only that user may enter.
@Suite(
    "Root and the service share a sandbox",
    .serialized,
    .enabled(if: geteuid() == 0, "only root can act as two users"),
    .timeLimit(.minutes(Sanitizer.minutes(5)))
)
struct RootTests {
    /// A number that no account needs to have.
    private static let user: uid_t = 54_321
    private static let asUser = ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]

    private let tool: Tool
    private let sandbox: String
    private let key = ["IDCARD_VAULT_KEY": Tool.randomKey()]

    init() throws {
        self.tool = try Tool()
        let parent = self.tool.home.appending(path: "state").path
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try #require(chown(parent, Self.user, Self.user) == 0 && chmod(parent, 0o700) == 0)
        self.sandbox = parent + "/sandbox"
    }

    private func root(_ arguments: String...) async throws -> Tool.Outcome {
        try await self.tool.run(arguments + ["--embedded", "--sandbox", self.sandbox], self.key)
    }

    private func service(_ arguments: String...) async throws -> Tool.Outcome {
        let words = arguments + ["--embedded", "--sandbox", self.sandbox]
        return try await self.tool.run(words, self.key, wrapper: Self.asUser)
    }

    /// Photos that both may read; every call makes another pair.
    private func photos(_ number: String) throws -> String {
        let name = "photos-\(number)"
        let files = ["\(number)/front.jpg": "cards/LOAN-2026-0001/front.jpg"]
        return try self.tool.folder(name, files).path
    }

    /// What in and of the sandbox does not belong to the service.
    private func foreign() throws -> [String] {
        let names = FileManager.default.enumerator(atPath: self.sandbox)?.allObjects.compactMap { $0 as? String } ?? []
        #expect(names.contains("sandbox.sqlite3"), "there is no sandbox to look at")
        return try (["."] + names).filter { try self.owner("\(self.sandbox)/\($0)") != Self.user }
    }

    private func owner(_ path: String) throws -> uid_t? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.ownerAccountID] as? NSNumber)?.uint32Value
    }

    private func ids(_ outcome: Tool.Outcome) throws -> [String] {
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.json().cards.compactMap(\.cardId)
    }

    @Test("A first run by root into the folder of the service, then runs and erasures of both")
    func shared() async throws {
        let first = try self.ids(await self.root("run", try self.photos("R-1"), "--format", "json"))
        #expect(try self.foreign() == [])
        let second = try self.ids(await self.service("run", try self.photos("S-1"), "--format", "json"))
        for id in first {
            let outcome = try await self.root("cards", "erase", id, "--yes")
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        for id in second {
            let outcome = try await self.service("cards", "erase", id, "--yes", "--format", "jsonl")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains(#""scrubbed":true"#))
        }
        let list = try String(contentsOfFile: self.sandbox + "/erasures.jsonl", encoding: .utf8)
        for id in first + second { #expect(list.contains(id)) }
        #expect(try self.foreign() == [])
        for outcome in [try await self.root("fsck"), try await self.service("fsck")] {
            #expect(outcome.status == 0, "\(outcome.output)")
        }
    }

    @Test("A restore by root from a folder that only root may enter; the service goes on with it")
    func restored() async throws {
        _ = try self.ids(await self.service("run", try self.photos("S-1"), "--format", "json"))
        let closed = self.tool.home.appending(path: "closed").path
        try FileManager.default.createDirectory(
            atPath: closed,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let backup = try await self.root("backup", closed + "/backup")
        #expect(backup.status == 0, "\(backup.errors)")
        #expect(try self.owner(closed + "/backup") == 0, "a backup outside belongs to root")
        let restore = try await self.root("restore", closed + "/backup", "--force")
        #expect(restore.status == 0, "\(restore.errors)")
        #expect(try self.foreign() == [])
        _ = try self.ids(await self.service("run", try self.photos("S-2"), "--format", "json"))
        #expect(try await self.service("fsck").status == 0)
    }

    @Test("A list of erasures that root has left is named with its remedy, by fsck, readiness and the erasure")
    func leftList() async throws {
        let ids = try self.ids(await self.service("run", try self.photos("S-1"), "--format", "json"))
        let list = self.sandbox + "/erasures.jsonl"
        // What a command of root left there before root acted as the owner.
        try Data().write(to: URL(filePath: list))
        try #require(chmod(list, 0o600) == 0)
        let remedy = "chown -hR \(Self.user):\(Self.user) '\(self.sandbox)'"
        for outcome in [try await self.root("fsck"), try await self.service("fsck")] {
            #expect(outcome.status == 1)
            #expect(outcome.output.contains("user_differs") && outcome.output.contains(remedy), "\(outcome.output)")
        }
        let failed = try await self.service("cards", "erase", try #require(ids.first), "--yes")
        #expect(failed.status == 74)
        #expect(failed.errors.contains(remedy), "\(failed.errors)")
        let asked = try await self.readiness()
        #expect(asked.status == 503)
        #expect(asked.body.contains("erasures cannot be logged") && asked.body.contains(remedy), "\(asked.body)")
        // The wrapper runs the remedy and nothing after it.
        let mended = try await self.tool.run([], wrapper: ["/bin/sh", "-c", remedy])
        #expect(mended.status == 0, "\(mended.errors)")
        #expect(try await self.service("cards", "erase", try #require(ids.first), "--yes").status == 0)
        #expect(try await self.readiness().status == 200)
        #expect(try await self.service("fsck").status == 0)
    }

    @Test(
        "A service that may not use the sandbox is told whose it is and what to run",
        arguments: ["", "/sandbox.sqlite3"]
    )
    func leftSandbox(path: String) async throws {
        _ = try self.ids(await self.service("run", try self.photos("S-1"), "--format", "json"))
        try #require(chown(self.sandbox + path, 0, 0) == 0)
        for command in [["run", try self.photos("S-2")], ["status"]] {
            let words = command + ["--embedded", "--sandbox", self.sandbox]
            let refused = try await self.tool.run(words, self.key, wrapper: Self.asUser)
            #expect(refused.status == 74)
            let remedy = "chown -hR \(Self.user):\(Self.user) '\(self.sandbox)'"
            #expect(refused.errors.contains("belongs to user 0"), "\(refused.errors)")
            #expect(refused.errors.contains(remedy), "\(refused.errors)")
        }
    }

    /// What `/readyz` of the service says.
    private func readiness() async throws -> (status: UInt, body: String) {
        var answer: (status: UInt, body: String) = (0, "")
        let words = ["serve", "--embedded", "--sandbox", self.sandbox, "--listen", "127.0.0.1:0"]
        let tokens = self.tool.home.appending(path: "state/tokens.json").path
        if !FileManager.default.fileExists(atPath: tokens) {
            let add = ["tokens", "add", "desk", "--scope", "read", "--tokens-file", tokens]
            #expect(try await self.tool.run(add, wrapper: Self.asUser).status == 0)
        }
        let variables = self.key.merging(["IDCARD_SERVER_TOKENS_FILE": tokens]) { _, new in new }
        let ended = try await self.tool.running(words, variables, wrapper: Self.asUser) { errors, signal in
            let line = try #require(try await errors.line(containing: "listening on "))
            let address = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") })
            let url = String(address.prefix { $0 != ";" }) + "/readyz"
            let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
            answer = (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 20)))
            try signal(.terminate)
        }
        #expect(ended == 143)
        return answer
    }
}

import CardModel
import CardStore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CardCommand

@Suite(.timeLimit(.minutes(5))) struct KeyAndBackupTests {
    private let tool: Tool

    init() throws { self.tool = try Tool() }

    @Test func `rotations at once leave one key that opens everything, and lose none`() async throws {
        try await self.tool.admitting((1...20).map { "R-\($0)" })
        let command = ["keys", "rotate"]
        let ends = try await withThrowingTaskGroup(of: Tool.Outcome.self) { group in
            for _ in 0..<6 { group.addTask { try await self.tool.run(command) } }
            return try await group.reduce(into: [Tool.Outcome]()) { $0.append($1) }
        }
        // One that finds the key changed, or another at work, says so and changes nothing.
        #expect(ends.allSatisfy { [0, 75].contains($0.status) }, "\(ends.map(\.errors))")
        #expect(ends.contains { $0.status == 0 })
        #expect(try await self.tool.run(["fsck"]).status == 0)
        let keys = self.tool.home.appending(path: ".config/idcard-pipeline")
        let retired = try FileManager.default.contentsOfDirectory(atPath: keys.path).filter { $0.contains(".retired-") }
        #expect(retired.count == ends.count { $0.status == 0 })
        let lines = try String(contentsOf: keys.appending(path: "vault.key"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count { !$0.hasPrefix("#") } == 1)
    }

    @Test func `while a process works, a change of keys and a restore end with 75 and name it`() async throws {
        let store = try await self.tool.sandbox()
        try await store.admitPhotos(["R-1"])
        let backup = self.tool.home.appending(path: "backup").path
        try await self.tool.run(["backup", backup], ends: 0)
        let second = try await self.tool.run(["backup", backup])
        #expect(second.status == 64 && second.errors.contains("backup"), "\(second.errors)")
        let worker = try await store.upkeep.startWorker(id: "w", command: "watch", now: Timestamp(Date()))
        for command in [["keys", "rotate"], ["restore", backup, "--force"]] {
            let outcome = try await self.tool.run(command)
            #expect(outcome.status == 75 && outcome.errors.contains("watch (process \(getpid()))"), "\(outcome.errors)")
        }
        try await store.upkeep.stop(worker, now: Timestamp(Date()))
        try store.close()
        let unforced = try await self.tool.run(["restore", backup])
        #expect(unforced.status == 64 && unforced.errors.contains("--force"), "\(unforced.errors)")
        try await self.tool.run(["restore", backup, "--force"], ends: 0)
        let list = try await self.tool.run(["cards", "list"])
        #expect(list.output.contains("held") && list.output.contains("restored"))
    }

    @Test func `the reports of restore and fsck have every key, also where nothing is to be said`() async throws {
        try await self.tool.admitting(["R-1"])
        let backup = self.tool.home.appending(path: "backup").path
        #expect(try await self.tool.run(["backup", backup]).status == 0)
        try FileManager.default.removeItem(at: self.tool.sandboxFolder)
        let restored = try await self.tool.run(["restore", backup, "--format", "json"], ends: 0)
        func object(_ outcome: Tool.Outcome) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        }
        let report = try object(restored)
        #expect(report["access_lines_taken_over"] is NSNull, "\(report)")
        #expect(report["last_change"] is String, "\(report)")
        // A line of the access log belongs to no card.
        try await self.tool.plant("DELETE FROM access_log")
        let checked = try await self.tool.run(["fsck", "--format", "json"], ends: 1)
        let findings = try #require(try object(checked)["findings"] as? [[String: Any]])
        #expect(findings.contains { $0["subject"] is NSNull }, "\(findings)")
        // Nor does the next line hide it.
        #expect(try await self.tool.run(["cards", "log"]).status == 0)
        #expect(try await self.tool.run(["fsck"], ends: 1).output.contains("access log"))
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root acts on another's sandbox as that user, with that user's group alone`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "owned-\(UUID().uuidString)").path
            guard mkdir(folder, 0o700) == 0, chown(folder, 65534, 65534) == 0 else { exit(1) }
            defer { rmdir(folder) }
            var many: [gid_t] = [0, 4, 27]
            guard setgroups(many.count, &many) == 0 else { exit(2) }
            do { try SandboxOwner.become(of: folder) } catch { exit(3) }
            var groups = [gid_t](repeating: 0, count: 16)
            let count = getgroups(Int32(groups.count), &groups)
            guard count == 1, groups[0] == 65534 else { exit(4) }
            guard getuid() == 65534, geteuid() == 65534 else { exit(5) }
            guard getgid() == 65534, getegid() == 65534, setuid(0) != 0 else { exit(6) }
            rmdir(folder)
            exit(42)
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root takes in no photo that the owner of the sandbox may not read`() async throws {
        let photos = try self.tool.folder("photos", ["R-1/front.jpg": .front(1)])
        try await self.tool.sandbox().close()
        try self.giveHomeAway()
        try #require(chown(photos.path, 0, 0) == 0 && chmod(photos.path, 0o700) == 0)
        let options = ["--embedded", "--sandbox", self.tool.sandboxFolder.path]
        for command in ["run", "watch"] {
            let outcome = try await self.tool.run([command, photos.path] + options)
            #expect(outcome.status == 66 && outcome.errors.contains("photos"), "\(command): \(outcome.errors)")
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root looks at another's sandbox, though the TOKEN's file is that user's`() async throws {
        try await self.tool.sandbox().close()
        let token = try self.tool.secretFile("token", "t")
        try self.giveHomeAway()
        let file = try self.tool.secretFile("c.yaml", "delivery.token_file: \(token.path)\n")
        for command in [["status"], ["fsck"], ["keys", "rotate"], ["cards", "erase", "--expired", "--yes"]] {
            try await self.tool.run(command + ["--config", file.path], ends: 0)
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root makes keys and tokens where the sandbox and the TOKEN's file are another's`() async throws {
        let (token, folder) = (try self.tool.secretFile("token", "t"), self.tool.home.appending(path: "box").path)
        try #require(mkdir(folder, 0o700) == 0)
        for path in [token.path, folder] { try #require(chown(path, 65534, 65534) == 0) }
        let text = "delivery.token_file: \(token.path)\nsandbox.path: \(folder)\n"
        let file = try self.tool.secretFile("c.yaml", text)
        let key = self.tool.home.appending(path: "new.key").path
        for command in [["keys", "init", "--key-file", key], ["tokens", "add", "desk", "--scope", "read"]] {
            try await self.tool.run(command + ["--config", file.path], ends: 0)
        }
        // As in a container that may not change groups.
        let wrapper = ["/usr/bin/setpriv", "--inh-caps", "-setgid", "--bounding-set", "-setgid"]
        let status = try await self.tool.run(["status", "--config", file.path], wrapper: wrapper)
        #expect(status.status == 74 && status.errors.contains("cannot become that user"), "\(status.errors)")
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root gets a backup and an export of another's sandbox in its own folder`() async throws {
        let card = try await self.tool.admitting(["R-1"])[0].rawValue
        try self.giveHomeAway()
        let folder = FileManager.default.temporaryDirectory.appending(path: "root-\(UUID().uuidString)").path
        try #require(mkdir(folder, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await self.tool.run(["backup", "\(folder)/copy"], ends: 0)
        try await self.tool.run(["cards", "export", card, "--output", "\(folder)/new"], ends: 0)
        for name in ["copy", "new/\(card).json", "new/\(card).jpg"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            #expect(attributes[.size] as? Int != 0, "\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            #expect(attributes[.ownerAccountID] as? Int == 0, "\(name)")
        }
        #expect(!FileManager.default.fileExists(atPath: self.tool.sandboxFolder.path + "/backup"))
        let again = try await self.tool.run(["backup", "\(folder)/copy"])
        #expect(again.status == 64 && again.errors.contains("it exists; remove it"), "\(again.errors)")
        let unknown = try await self.tool.run(["cards", "export", "none", "--output", folder])
        #expect(unknown.status == 66 && unknown.errors.contains("none.json is left empty"), "\(unknown.errors)")
        // The copy is whole: root restores it, and the new sandbox belongs to whom the folder around it does.
        let other = self.tool.home.appending(path: "restored").path
        try await self.tool.run(["restore", "\(folder)/copy", "--sandbox", other], ends: 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: other + "/sandbox.sqlite3")
        #expect(attributes[.ownerAccountID] as? Int == 65534)
    }

    /// Makes everything in the home of the tool another user's.
    private func giveHomeAway() throws {
        let owned = try FileManager.default.subpathsOfDirectory(atPath: self.tool.home.path)
        for path in [""] + owned { try #require(chown("\(self.tool.home.path)/\(path)", 65534, 65534) == 0) }
    }
}

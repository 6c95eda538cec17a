import Foundation
import Glibc
import IDCardTesting
import Testing

/// Sandboxes of every shape that was ever committed, made by the binary of that commit (`scripts/make-upgrade-fixtures`).
@Suite("A sandbox of an older program", .serialized, .timeLimit(.minutes(Sanitizer.minutes(5))))
struct UpgradeTests {
    private static let fixtures = ["v1", "v2a", "v2b", "v2c", "v2d", "v3", "v4"]

    private let tool: Tool
    private let sandbox: URL

    init() throws {
        self.tool = try Tool(withKey: false)
        self.sandbox = self.tool.home.appending(path: "sandbox")
    }

    private var database: URL { self.sandbox.appending(path: "sandbox.sqlite3") }

    /// Puts a sandbox in place; what is to be set for it.
    private func place(_ name: String) throws -> [String: String] {
        let source = Project.fixtures.appending(path: "sandboxes/\(name)")
        try FileManager.default.createDirectory(
            at: self.sandbox,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        var variables = ["IDCARD_VAULT_MODE": "none"]
        for file in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            if file == "vault.key" {
                let key = try String(contentsOf: source.appending(path: file), encoding: .utf8)
                variables = ["IDCARD_VAULT_KEY": key.trimmingCharacters(in: .whitespacesAndNewlines)]
                continue
            }
            let target = self.sandbox.appending(path: file)
            try FileManager.default.copyItem(at: source.appending(path: file), to: target)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target.path)
        }
        return variables
    }

    private func command(_ arguments: [String], _ variables: [String: String]) async throws -> Tool.Outcome {
        try await self.tool.run(arguments + ["--embedded", "--sandbox", self.sandbox.path], variables)
    }

    private func backups() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.sandbox.path).filter {
            $0.hasPrefix("sandbox-version-")
        }
    }

    /// The photos that the sandboxes were made of, but for the one that was erased, and a new one.
    private func photos() throws -> String {
        try self.tool.folder(
            "photos",
            [
                "U-1/front.jpg": "orientations/1.jpg", "U-2/front.jpg": "orientations/mosaic-1.jpg",
                "U-2/back.jpg": "cards/LOAN-2026-0001/back.jpg", "U-3/one.jpg": "cards/LOAN-2026-0001/front.jpg",
                "U-3/two.jpg": "cards/LOAN-2026-0002/front.jpg", "U-5/front.jpg": "orientations/5.jpg",
            ]
        ).path
    }

    @Test("It is brought up to date after a backup, knows its cards, works on and passes fsck", arguments: fixtures)
    func upgraded(name: String) async throws {
        let variables = try self.place(name)
        let before = try Data(contentsOf: self.database)
        let looked = try await self.command(["status"], variables)
        #expect(looked.status == 74)
        #expect(looked.errors.contains("older version"), "\(looked.errors)")
        #expect(try Data(contentsOf: self.database) == before)

        let run = try await self.command(["run", try self.photos(), "--format", "json"], variables)
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.errors.contains("was brought from version "), "\(run.errors)")
        let counts = try run.json().counts
        #expect(counts["duplicate"] == 5 && counts["delivered"] == 1, "\(counts)")
        let backup = try #require(try self.backups().first)
        #expect(run.errors.contains(backup), "\(run.errors)")
        let check = try await self.command(["fsck"], variables)
        #expect(check.status == 0, "\(check.output)")

        // The copy is the sandbox as it was: a restore makes one of it that is whole, too.
        let other = self.tool.home.appending(path: "other").path
        let restored = try await self.tool.run(
            ["restore", self.sandbox.path + "/" + backup, "--resume", "--embedded", "--sandbox", other],
            variables
        )
        #expect(restored.status == 0, "\(restored.errors)")
        let states = try await self.tool.run(["cards", "list", "--quiet", "--embedded", "--sandbox", other], variables)
        #expect(states.output.split(separator: "\n").count == 6)

        let again = try await self.command(["run", "--format", "json"], variables)
        #expect(!again.errors.contains("was brought from version "), "\(again.errors)")
        let erased = try await self.command(["cards", "erase", "--business-no", "U-1", "--yes"], variables)
        #expect(erased.status == 0, "\(erased.errors)")
        #expect(try self.backups() == [])
        let last = try await self.command(["fsck"], variables)
        #expect(last.status == 0, "\(last.output)")
    }

    @Test("The backup can be declined, and is not made without room for it: then nothing is changed", arguments: ["v3"])
    func room(name: String) async throws {
        let variables = try self.place(name)
        let before = try Data(contentsOf: self.database)
        let wanted = ["IDCARD_SANDBOX_WORK_FREE_SPACE": "900000GiB", "IDCARD_SANDBOX_INTAKE_FREE_SPACE": "900000GiB"]
        let full = variables.merging(wanted) { _, new in new }
        let refused = try await self.command(["run", try self.photos()], full)
        #expect(refused.status == 74)
        #expect(refused.errors.contains("IDCARD_SANDBOX_UPGRADE_BACKUP=false"), "\(refused.errors)")
        #expect(try Data(contentsOf: self.database) == before)
        #expect(try self.backups() == [])
        let without = variables.merging(["IDCARD_SANDBOX_UPGRADE_BACKUP": "false"]) { _, new in new }
        let declined = try await self.command(["run"], without)
        #expect(declined.errors.contains("without a backup"), "\(declined.errors)")
        #expect(try self.backups() == [])
        #expect(try await self.command(["fsck"], variables).status == 0)
    }

    @Test("While a process of the older program has it open, it is left as it is")
    func inUse() async throws {
        let variables = try self.place("v3")
        let before = try Data(contentsOf: self.database)
        let owners = self.sandbox.appending(path: "owners").path
        try FileManager.default.createDirectory(
            atPath: owners,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let owner = open(owners + "/11111111-1111-4111-8111-111111111111", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(owner >= 0)
        var region = flock()
        region.l_type = Int16(F_WRLCK)
        // `F_OFD_SETLK`, which Glibc hides: as a process of the older program holds its file.
        try #require(fcntl(owner, 37, &region) == 0)
        let refused = try await self.command(["run"], variables)
        #expect(refused.status == 74)
        #expect(refused.errors.contains("a process has it open"), "\(refused.errors)")
        #expect(try Data(contentsOf: self.database) == before)
        close(owner)
        #expect(try await self.command(["run"], variables).errors.contains("was brought from version 3"))
    }

    @Test("One of a newer program is refused and not touched")
    func newer() async throws {
        let variables = try self.place("v3")
        var content = try Data(contentsOf: self.database)
        // `PRAGMA user_version` in the header of the file (SQLite file format, 1.3).
        content.replaceSubrange(60..<64, with: [0, 0, 0, 99])
        try content.write(to: self.database)
        for command in [
            ["run", try self.photos()], ["status"], ["fsck"], ["cards", "erase", "--business-no", "U-1", "--yes"],
        ] {
            let refused = try await self.command(command, variables)
            #expect(refused.status == 74)
            #expect(
                refused.errors.contains("version 99") && refused.errors.contains("newer program"),
                "\(refused.errors)"
            )
        }
        #expect(try Data(contentsOf: self.database) == content)
        #expect(try self.backups() == [])
    }
}

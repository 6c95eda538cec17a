import CardInput
import CardModel
import CardStore
import Foundation
import Glibc
import TestSupport
import Testing

/// A sandbox that lies among the inputs, and inputs that are wrong beside a sandbox that is there.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SandboxAmongInputsTests {
    private static let pair = ["K-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"]

    @Test("A second run over a folder that holds the sandbox takes nothing from it")
    func below() async throws {
        let tool = try Tool()
        let cards = try tool.folder("cards", Self.pair)
        let box = ["IDCARD_SANDBOX_PATH": cards.appending(path: "box").path]
        let command = ["run", cards.path, "--embedded", "--format", "json"]
        #expect(try await tool.run(command, box).status == 0)
        // The built-in backend keeps the photo there.
        let documents = FileManager.default.enumerator(atPath: cards.appending(path: "box/embedded-documents").path)
        #expect(documents?.contains { "\($0)".hasSuffix(".jpg") } == true)
        let again = try await tool.run(command, box)
        #expect(again.status == 0)
        #expect(try again.json().cards.map(\.source) == [cards.appending(path: "K-1/front.jpg").path])
        let named = try await tool.run(["run", cards.appending(path: "box").path, "--embedded"], box)
        #expect(named.status == 66, "\(named.errors)")
        #expect(named.errors.contains("is or lies in the folder of the sandbox"))
    }

    /// The locks by fcntl(2) that a process holds on a file, asked of the kernel through one open descriptor.
    ///
    /// Asked as an open file description, which this process's own locks are in the way of, too. `/proc/locks` says the same,
    /// but is empty for whoever sees another PID namespace's `/proc`. The descriptor stays open: closing it is what drops them.
    private struct Locks {
        /// `F_OFD_GETLK` of fcntl(2), which Swift's Glibc does not have.
        private static let ofdGetLock: CInt = 36

        private let descriptor: CInt

        init(_ path: String) throws {
            descriptor = open(path, O_RDWR | O_CLOEXEC)
            try #require(descriptor >= 0, "\(path): errno \(errno)")
        }

        /// The kind, first byte and length of each lock, in the order of their bytes.
        func all() throws -> [[Int]] {
            var locks: [[Int]] = []
            var start: off_t = 0
            while true {
                var wanted = flock()
                wanted.l_type = Int16(F_WRLCK)
                wanted.l_whence = Int16(SEEK_SET)
                wanted.l_start = start
                // The kernel names any lock in the way, so ask of what lies before it until there is none.
                var found: flock?
                while true {
                    try #require(fcntl(descriptor, Self.ofdGetLock, &wanted) == 0, "errno \(errno)")
                    if wanted.l_type == Int16(F_UNLCK) { break }
                    found = wanted
                    if wanted.l_start <= start { break }
                    wanted.l_len = wanted.l_start - start
                    wanted.l_start = start
                    wanted.l_type = Int16(F_WRLCK)
                    wanted.l_pid = 0
                }
                guard let found else { return locks }
                locks.append([Int(found.l_type), Int(found.l_start), Int(found.l_len)])
                if found.l_len == 0 { return locks }
                start = found.l_start + found.l_len
            }
        }

        func close() { _ = Glibc.close(descriptor) }
    }

    @Test("Listing a folder that holds an open sandbox leaves the locks of its database")
    func locks() async throws {
        let tool = try Tool()
        let cards = try tool.folder("cards", Self.pair)
        let box = cards.appending(path: "box").path
        let store = try await CardStore.open(
            path: box,
            kind: .real,
            ring: KeyRing(VaultKey.random()),
            creating: true,
            now: Timestamp(Date())
        )
        let files = try ["sandbox.sqlite3", "sandbox.sqlite3-shm"].map { try Locks(box + "/" + $0) }
        let before = try files.map { try $0.all() }
        #expect(before.allSatisfy { !$0.isEmpty })
        func list(_ paths: String..., sandbox: String?) throws {
            var options = BatchOptions(
                recognisesImage: { _, _ in false },
                isImageName: { $0.hasSuffix(".jpg") }
            )
            options.fields = try SubmittedFields([.businessNumber: "N"])
            options.sandbox = sandbox
            _ = try BatchSource(paths: paths, manifest: nil, options: options).listing()
        }
        try list(cards.path, box + "/sandbox.sqlite3", sandbox: box)
        #expect(try files.map { try $0.all() } == before)
        // What it would do to them: this is what the test is to see.
        try list(cards.path, sandbox: nil)
        #expect(try files.map { try $0.all() } != before)
        try store.close()
        for file in files { file.close() }
    }

    @Test("What is wrong with the inputs is said first, and the sandbox is left as it was")
    func wrongInputs() async throws {
        let tool = try Tool()
        let cards = try tool.folder("cards", Self.pair)
        let box = tool.home.appending(path: "box")
        let variables = ["IDCARD_SANDBOX_PATH": box.path]
        let missing = tool.home.appending(path: "missing").path
        func expectComplaint(_ variables: [String: String]) async throws {
            let outcome = try await tool.run(["run", missing, "--embedded"], variables)
            #expect(outcome.status == 66, "\(outcome.errors)")
            #expect(outcome.errors.contains("names nothing"))
            #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
        }
        try await expectComplaint(variables)
        #expect(!FileManager.default.fileExists(atPath: box.path), "a sandbox was made for nothing")
        #expect(try await tool.run(["run", cards.path, "--embedded"], variables).status == 0)
        func owners() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: box.appending(path: "owners").path).sorted()
        }
        let before = try owners()
        try await expectComplaint(variables)
        #expect(try owners() == before)
        let other = try tool.secretFile("other.key", Tool.randomKey())
        var withOther = variables
        withOther["IDCARD_VAULT_KEY_FILE"] = other.path
        try await expectComplaint(withOther)
        // With right inputs the wrong key is said.
        let outcome = try await tool.run(["run", cards.path, "--embedded"], withOther)
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("does not open the sandbox"), "\(outcome.errors)")
        // A database that was only begun is none.
        try FileManager.default.removeItem(at: box)
        try FileManager.default.createDirectory(at: box, withIntermediateDirectories: true)
        try Data().write(to: box.appending(path: "sandbox.sqlite3"))
        try await expectComplaint(variables)
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.path) == ["sandbox.sqlite3"])
    }
}

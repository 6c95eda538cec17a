import ArgumentParser
import CardModel
import CardStore
import Foundation
import Glibc

extension GlobalOptions {
    /// Opens the sandbox, calls a function, closes it, and turns errors into words and an exit status.
    func withSandbox(_ body: (CardStore) async throws -> CommandStatus) async throws {
        try await self.withSandbox { store, _ in try await body(store) }
    }

    /// Opens the sandbox for a function that asks the configuration too.
    func withSandbox(_ body: (CardStore, Configuration) async throws -> CommandStatus) async throws {
        try await CommandRunner.run {
            let configuration = try self.load().configuration
            let store = try await configuration.openStore(creating: false)
            let result: Result<CommandStatus, any Error>
            do { result = .success(try await body(store, configuration)) } catch { result = .failure(error) }
            try store.close()
            return try result.get()
        }
    }
}

extension Configuration {
    /// Opens the sandbox for a pipeline, or makes it, calls a function, and closes it.
    func withSandbox<Value>(_ body: (CardStore) async throws -> Value) async throws -> Value {
        let store = try await self.openStore(creating: true)
        let result: Result<Value, any Error>
        do { result = .success(try await body(store)) } catch { result = .failure(error) }
        // Everything is durable before: that it did not close well is worth a line, not the result.
        do { try store.close() } catch {
            Console.standardError("warning: the sandbox did not close in order; check it: idcard-pipeline fsck")
        }
        return try result.get()
    }

    /// Opens the sandbox as its owner.
    ///
    /// - Parameter creating: whether it is made, with its key, if it is not there; then it is of the kind that the endpoints ask
    ///   for.
    func openStore(creating: Bool) async throws -> CardStore {
        if !creating { try CardStore.requireSandbox(at: self.sandboxPath) }
        try SandboxOwner.become(of: self.sandboxPath)
        // Before a key is asked for: none would help.
        try CardStore.refuseFirstEdition(at: self.sandboxPath)
        var ring = try await self.vaultKeys(creating: creating)
        while true {
            do { return try await self.openStore(creating: creating, ring) } catch let error as CodedError
                where error.code == .wrongKey
            {
                // A rotation may have ended since the keys were read.
                let newer = try await self.vaultKeys(creating: false)
                guard newer != ring else { throw error }
                ring = newer
            }
        }
    }

    private func openStore(creating: Bool, _ ring: KeyRing) async throws -> CardStore {
        try await CardStore.open(
            path: self.sandboxPath,
            kind: self.isEmbedded ? .embedded : creating ? .real : nil,
            ring: ring,
            creating: creating,
            now: Timestamp(Date())
        )
    }
}

/// Why somebody touches personal data, for the access log.
struct PurposeOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Why, for the access log.",
            discussion: "Such as a ticket number; up to 200 characters, and never the holder's name or number.",
            valueName: "text"
        )
    )
    var why: String?

    func validate() throws {
        guard let why, why.count > 200 else { return }
        throw ValidationError("--why has up to 200 characters, got \(why.count).")
    }

    /// Who is at work, by a command and why.
    func origin(of command: String) -> AccessOrigin {
        AccessOrigin(actor: "\(Self.userName):\(command)", purpose: self.why)
    }

    /// The name of the user that the system knows for this process, else its number.
    private static var userName: String {
        let number = geteuid()
        guard let entry = getpwuid(number), let name = entry.pointee.pw_name else { return "uid-\(number)" }
        return String(cString: name)
    }
}

/// What a report looks like that is one object.
enum ReportFormat: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// For people.
    case text
    /// One JSON object.
    case json
}

/// An element of a list: the same facts for programs and for people.
protocol ReportLine: Encodable {
    /// The line for people.
    var text: String { get }
}

extension CardDocument: ReportLine {}

extension LineFormat {
    /// Prints a line.
    func print(_ line: some ReportLine) async {
        switch self {
        case .text: await Console.standardOutput(line.text)
        case .jsonl: await Console.standardOutput(JSONText.line(line))
        }
    }
}

extension OutputFormat {
    /// Prints an element of a list; what is one JSON object is printed as a whole.
    func print(_ line: some ReportLine) async { await LineFormat(rawValue: self.rawValue)?.print(line) }
}

/// A report of a command: the same facts for programs and for people.
protocol Report: Encodable {
    /// The lines for people.
    var lines: [String] { get }
}

extension Report {
    /// Prints the report on standard output.
    func print(_ format: ReportFormat) async {
        switch format {
        case .text: for line in self.lines { await Console.standardOutput(line) }
        case .json: await Console.standardOutput(JSONText.document(self))
        }
    }
}

/// What root does on somebody's sandbox it does as that user, so that nothing in it comes to belong to root.
enum SandboxOwner {
    /// Becomes the owner of a sandbox that is there, for good; does nothing for anybody but root.
    ///
    /// - Throws: `sandbox_unavailable` if the system does not let us.
    static func become(of path: String) throws(CodedError) {
        var status = stat()
        guard geteuid() == 0, stat(path, &status) == 0, status.st_uid != 0 else { return }
        // The groups first: later there is no right to change them.
        var group = status.st_gid
        guard setgroups(1, &group) == 0, setgid(group) == 0, setuid(status.st_uid) == 0 else {
            throw CodedError(
                .sandboxUnavailable,
                .storage,
                """
                the sandbox belongs to the user \(Int(status.st_uid)), and this process cannot become that user \
                (\(String(cString: strerror(errno)))); run it as the owner
                """
            )
        }
        // A home of root is no place for files of this user.
        if let entry = getpwuid(status.st_uid), let home = entry.pointee.pw_dir { setenv("HOME", home, 1) }
    }
}

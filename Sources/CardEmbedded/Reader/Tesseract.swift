import FoundationEssentials
import Subprocess
import SystemPackage

/// Runs the `tesseract` program on small pictures of text, one process per picture.
///
/// Every run has a time limit and an output limit, and no more than a fixed number run at once. The picture goes in
/// through standard input from a file in memory, so that no image of a card is written to a disk.
package struct Tesseract: Sendable {
    /// The program and the limits of a run.
    package struct Configuration: Sendable {
        /// The program: a path, or a name searched in `PATH`.
        package var executable = "tesseract"
        /// The maximum duration of a run, after which it is killed.
        package var timeLimit = Duration.seconds(20)
        /// The maximum bytes that one run may write to standard output.
        package var outputLimit = 64 * 1024
        package var parallelism = max(1, ProcessInfo.processInfo.activeProcessorCount)
    }

    /// The trained languages a card needs, in tesseract's names.
    enum Language: String, Sendable, CaseIterable {
        case digits = "eng"
        case chinese = "chi_sim"
    }

    /// Tesseract's page segmentation mode (its option `--psm`).
    enum PageMode: Int, Sendable {
        case block = 6
        case line = 7
        case sparse = 11
        /// One raw line: no search for words or baselines.
        case rawLine = 13
    }

    private let configuration: Configuration
    private let gate: ParallelismGate

    /// Creates a runner; `checkInstallation()` checks that the program exists.
    init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        self.gate = ParallelismGate(limit: configuration.parallelism)
    }

    /// Queries the program's languages, so that a missing package is detected before the first card.
    ///
    /// - Throws: `EmbeddedError` with code `.tesseractMissing`, naming the Debian packages to install.
    func checkInstallation() async throws {
        let listing: String
        do {
            listing = try await self.run(["--list-langs"]) { try FileDescriptor.open("/dev/null", .readOnly) }
        } catch  where !(error is EmbeddedError || error is CancellationError) {
            throw EmbeddedError.tesseractNotRun(self.configuration.executable)
        }
        let languages = Set(listing.split(whereSeparator: \.isWhitespace).map(String.init))
        let missing = Language.allCases.map(\.rawValue).filter { !languages.contains($0) }
        guard missing.isEmpty else { throw EmbeddedError.languagesMissing(missing) }
    }

    /// Reads the text of a picture.
    ///
    /// - Parameters:
    ///   - picture: Dark text on light ground.
    ///   - alphabet: The only characters that the result may have; any when `nil`.
    /// - Throws: `EmbeddedError` with code `.tesseractFailed` or `.tesseractTooSlow`.
    func text(of picture: Raster, language: Language, mode: PageMode, alphabet: String? = nil) async throws -> String {
        var arguments = ["stdin", "stdout", "-l", language.rawValue, "--psm", String(mode.rawValue), "--dpi", "300"]
        if let alphabet { arguments += ["-c", "tessedit_char_whitelist=\(alphabet)"] }
        return try await self.gate.withSlot { [arguments] in
            do {
                return try await self.run(arguments) { try picture.portableGreymapFile() }
            } catch is SubprocessError {
                throw Self.failure("could not be run, or wrote more than \(self.configuration.outputLimit) bytes")
            } catch is Errno {
                throw Self.failure("could not be given its picture")
            }
        }
    }

    private static func failure(_ what: String) -> EmbeddedError {
        EmbeddedError(.tesseractFailed, "tesseract \(what)")
    }

    private func run(
        _ arguments: [String],
        input: @escaping @Sendable () throws -> FileDescriptor
    ) async throws -> String {
        let timeLimit = self.configuration.timeLimit
        return try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { try await self.output(of: arguments, input: try input()) }
            group.addTask {
                try await Task.sleep(for: timeLimit)
                return nil
            }
            defer { group.cancelAll() }
            // The first task to finish decides; leaving the group kills a program that still runs.
            guard let first = try await group.next(), let text = first else {
                throw EmbeddedError(.tesseractTooSlow, "tesseract ran longer than \(timeLimit) and was stopped")
            }
            return text
        }
    }

    /// Returns the environment of the program: the variables that it needs to start and to find its data, and no
    /// secrets.
    static func environment(from variables: [String: String]) -> [String: String] {
        let names = ["PATH", "HOME", "TMPDIR", "TESSDATA_PREFIX", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE"]
        // A single line is slower with more than one thread, and the gate already uses all cores.
        return variables.filter { names.contains($0.key) }.merging(["OMP_THREAD_LIMIT": "1"]) { $1 }
    }

    private func output(of arguments: [String], input: FileDescriptor) async throws -> String {
        let program = self.configuration.executable
        let variables = Self.environment(from: ProcessInfo.processInfo.environment).map {
            (Environment.Key(stringLiteral: $0.key), $0.value)
        }
        let result = try await Subprocess.run(
            program.contains("/") ? .path(FilePath(program)) : .name(program),
            arguments: Arguments(arguments),
            environment: .custom(Dictionary(uniqueKeysWithValues: variables)),
            input: .fileDescriptor(input, closeAfterSpawningProcess: true),
            output: .string(limit: self.configuration.outputLimit),
            error: .discarded
        )
        guard result.terminationStatus.isSuccess else { throw Self.failure("ended with \(result.terminationStatus)") }
        return result.standardOutput
    }
}

/// Lets at most a fixed number of callers through at once; the others wait in order of arrival.
///
/// Cancellation does not wake a waiter: the runs before it have a time limit, so its turn comes.
private actor ParallelismGate {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(limit: Int) {
        precondition(limit > 0, "a gate must let at least one caller through, not \(limit)")
        self.free = limit
    }

    func withSlot<Value: Sendable>(_ body: @concurrent @Sendable () async throws -> Value) async throws -> Value {
        if self.free > 0 { self.free -= 1 } else { await withCheckedContinuation { self.waiting.append($0) } }
        // A slot that becomes free goes to the next waiter, if there is one.
        defer { if self.waiting.isEmpty { self.free += 1 } else { self.waiting.removeFirst().resume() } }
        try Task.checkCancellation()
        return try await body()
    }
}

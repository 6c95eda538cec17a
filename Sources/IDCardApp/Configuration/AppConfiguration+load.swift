import Foundation

extension AppConfiguration {
    /// Reads and checks the configuration: command line over environment over file over defaults.
    ///
    /// - Parameters:
    ///   - file: what `--config` names; `nil` looks at `IDCARD_CONFIG`, then in the user's configuration folder.
    ///   - overrides: the options of the command line by key path, such as `sandbox.path`.
    ///   - environment: the variables of the process.
    ///   - embedded: whether the built-in endpoints take the place of the configured ones.
    ///   - requiringRemotes: whether the outside services must be known; not asked of an embedded configuration.
    ///   - readingFiles: whether the files that hold secrets and certificates for the endpoints are read and checked.
    ///   - processorCount: the default of `imaging.concurrency`.
    /// - Throws: everything that is wrong, not only the first.
    package static func load(
        file: String?,
        overrides: [String: String] = [:],
        environment: [String: String],
        embedded: Bool = false,
        requiringRemotes: Bool = false,
        readingFiles: Bool = true,
        processorCount: Int = ProcessInfo.processInfo.activeProcessorCount
    ) throws(ConfigurationError) -> AppConfiguration {
        var layers = [ConfigurationLayer.commandLine(overrides), .environment(environment)]
        var notices = ConfigurationNames.check(environment: environment)
        var problems = ConfigurationNames.check(overrides: overrides)
        let path = ConfigurationFile.locate(named: file, environment: environment)
        if let path {
            do throws(ConfigurationError.Problem) {
                let file = try ConfigurationFile(path: path)
                problems += ConfigurationNames.check(file)
                notices += Self.insecurity(of: file)
                problems += Self.exposedVaultKey(in: file).map { [$0] } ?? []
                layers += ConfigurationLayer.file(file).map { [$0] } ?? []
            } catch {
                // The keys of the file would all seem to be missing.
                throw ConfigurationError(problems + [error], notices: notices, file: path)
            }
        }
        var resolver = ConfigurationResolver(
            layers: layers,
            directories: UserDirectories(environment: environment),
            embedded: embedded,
            processorCount: processorCount
        )
        resolver.resolveAll()
        let checks = ConfigurationChecks(values: resolver.values, embedded: embedded, readsFiles: readingFiles)
        problems += resolver.problems + checks.problems
        if requiringRemotes {
            let refused = Set(resolver.problems.compactMap(\.key))
            problems += checks.missing(besides: refused).map { [$0] } ?? []
            problems += checks.missingVaultKey(besides: refused).map { [$0] } ?? []
        }
        notices += checks.notices
        guard problems.isEmpty else { throw ConfigurationError(problems, notices: notices, file: path) }
        return AppConfiguration(resolver.values, embedded: embedded, file: path, notices: notices)
    }

    /// The `vault.key_file` that somebody wrote down, whether it exists or not, and whatever else is wrong.
    ///
    /// - Throws: what is wrong with the configuration file as a whole.
    static func writtenKeyFile(
        file: String?,
        environment: [String: String]
    ) throws(ConfigurationError) -> String? {
        try self.writtenPath("vault.key_file", file: file, environment: environment)
    }

    /// The `sandbox.path` that somebody wrote down.
    ///
    /// - Throws: what is wrong with the configuration file as a whole.
    static func writtenSandbox(
        file: String?,
        environment: [String: String]
    ) throws(ConfigurationError) -> String? {
        try self.writtenPath("sandbox.path", file: file, environment: environment)
    }

    private static func writtenPath(
        _ key: String,
        file: String?,
        environment: [String: String]
    ) throws(ConfigurationError) -> String? {
        var layers = [ConfigurationLayer.environment(environment)]
        if let path = ConfigurationFile.locate(named: file, environment: environment) {
            do throws(ConfigurationError.Problem) {
                layers += ConfigurationLayer.file(try ConfigurationFile(path: path)).map { [$0] } ?? []
            } catch {
                throw ConfigurationError([error], file: path)
            }
        }
        let written = layers.lazy.compactMap { $0.written(key) }.first
        return written.map { UserDirectories(environment: environment).expand($0.text) }
    }

    /// The key to everything is no secret among others: it may lie in the file only if nobody else can read that.
    private static func exposedVaultKey(in file: ConfigurationFile) -> ConfigurationError.Problem? {
        let key = "vault.key"
        guard file.isReadableByOthers, file.paths.contains(key) else { return nil }
        return .init(
            .insecureFile,
            key: key,
            "\(key): \(file.path) holds the key of the sandbox and others may read it; run: chmod 600 \(file.path)"
        )
    }

    private static func insecurity(of file: ConfigurationFile) -> [ConfigurationNotice] {
        let secrets = file.paths.filter { ConfigurationKey.named($0)?.isSecret == true }
        guard file.isReadableByOthers, !secrets.isEmpty else { return [] }
        let names = Set(secrets).sorted().joined(separator: ", ")
        return [.warning("\(file.path) holds secrets (\(names)) and others may read it; run: chmod 600 \(file.path)")]
    }
}

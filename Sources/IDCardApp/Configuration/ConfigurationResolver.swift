import Foundation
import IDCardCore

/// Finds the effective value of every key: command line over environment over file over default.
struct ConfigurationResolver {
    /// The layers, strongest first.
    let layers: [ConfigurationLayer]
    let directories: UserDirectories
    let embedded: Bool
    let processorCount: Int

    private(set) var values = ResolvedConfiguration()
    private(set) var problems: [ConfigurationError.Problem] = []

    init(layers: [ConfigurationLayer], directories: UserDirectories, embedded: Bool, processorCount: Int) {
        self.layers = layers
        self.directories = directories
        self.embedded = embedded
        self.processorCount = processorCount
    }

    /// Resolves all keys, and collects what is wrong.
    mutating func resolveAll() {
        for key in ConfigurationKey.all {
            do throws(ConfigurationError.Problem) {
                self.values.append(try self.resolve(key))
            } catch {
                self.problems.append(error)
            }
        }
    }

    private func resolve(_ key: ConfigurationKey) throws(ConfigurationError.Problem) -> ConfigurationEntry {
        for layer in self.layers {
            guard let written = layer.written(key.path) else { continue }
            let value = try self.read(written, of: key, from: layer)
            return ConfigurationEntry(key: key, value: value, source: layer.source)
        }
        return ConfigurationEntry(key: key, value: try self.fallback(of: key), source: .builtIn)
    }

    private func read(
        _ written: ConfigurationLayer.Written,
        of key: ConfigurationKey,
        from layer: ConfigurationLayer
    ) throws(ConfigurationError.Problem) -> ConfigurationValue {
        let origin = layer.origin(of: key)
        do throws(ConfigurationForm.Refusal) {
            switch written {
            case .items(let items):
                guard key.form.isList else { throw .malformed }
                return self.finish(try key.form.parse(items: items), of: key)
            case .scalar(let text):
                guard !text.isEmpty else { throw .malformed }
                return self.finish(try key.form.parse(text), of: key)
            }
        } catch {
            throw Self.problem(error, key: key, written: written, origin: origin)
        }
    }

    private func finish(_ value: ConfigurationValue, of key: ConfigurationKey) -> ConfigurationValue {
        switch value {
        case .text(let text) where key.isSecret: .secret(Redacted(text))
        case .text(let path) where key.form == .path: .text(self.directories.expand(path))
        case .list(let paths) where key.form == .paths: .list(paths.map(self.directories.expand))
        default: value
        }
    }

    private func fallback(of key: ConfigurationKey) throws(ConfigurationError.Problem) -> ConfigurationValue? {
        switch key.fallback {
        case .unset: return nil
        case .value(let text):
            do throws(ConfigurationForm.Refusal) {
                return self.finish(try key.form.parse(text), of: key)
            } catch {
                preconditionFailure("the default of \(key.path), \(text), is not \(key.form.expectation)")
            }
        case .computed: return try self.computed(key)
        }
    }

    private func computed(_ key: ConfigurationKey) throws(ConfigurationError.Problem) -> ConfigurationValue? {
        switch key.path {
        case "imaging.concurrency": return .integer(max(1, self.processorCount))
        case "watch.concurrency":
            return .integer(self.values.find("imaging.concurrency", \.integer) ?? max(1, self.processorCount))
        case "sandbox.path":
            guard let path = self.directories.sandbox(embedded: self.embedded) else {
                throw .init(
                    .missing,
                    key: key.path,
                    "\(key.path) has no default because neither HOME nor XDG_DATA_HOME is set; give --sandbox DIR or "
                        + key.environmentName
                )
            }
            return .text(path)
        // Each watched folder computes it for itself.
        case "watch.sidecar": return nil
        case "server.tokens_file": return self.directories.tokensFile.map(ConfigurationValue.text)
        case "vault.key_file": return self.vaultKeyFile.map(ConfigurationValue.text)
        default: preconditionFailure("nothing computes the default of \(key.path)")
        }
    }

    /// The file of the keys where nobody names a source of keys; that of the embedded endpoints need not be there yet.
    private var vaultKeyFile: String? {
        let named = ["vault.key", "vault.key_command"]
        guard self.values.find("vault.mode", \.text) != "none",
            !self.layers.contains(where: { layer in named.contains { layer.written($0) != nil } }),
            let path = self.directories.vaultKeyFile(embedded: self.embedded)
        else { return nil }
        return self.embedded || KeyFile(path: path).exists ? path : nil
    }
}

extension ConfigurationResolver {
    /// Says what is wrong with a value, where it was written and what is expected.
    static func problem(
        _ refusal: ConfigurationForm.Refusal,
        key: ConfigurationKey,
        written: ConfigurationLayer.Written,
        origin: String
    ) -> ConfigurationError.Problem {
        let value = Self.shown(written, of: key)
        let expected = "expected \(key.form.expectation) (from \(origin))"
        return switch refusal {
        case .malformed where written.text.isEmpty:
            .init(.malformedValue, key: key.path, "\(key.path) is empty: remove it or give it a value; \(expected)")
        case .malformed:
            .init(.malformedValue, key: key.path, "\(key.path): \(value) cannot be read; \(expected)")
        case .outOfRange:
            .init(.outOfRange, key: key.path, "\(key.path): \(value) is out of range; \(expected)")
        case .planned:
            .init(
                .notInThisVersion,
                key: key.path,
                "\(key.path): \(value) is not available in this version; \(expected)"
            )
        }
    }

    /// A value as a message may show it: not if it is a secret or may hold one, clipped, on one line.
    private static func shown(_ written: ConfigurationLayer.Written, of key: ConfigurationKey) -> String {
        let text = written.text
        if key.isSecret { return "the value (not shown, it is a secret)" }
        if key.form == .url, text.contains(where: { "@?#".contains($0) }) {
            return "the value (not shown, it may hold a password)"
        }
        let clipped = text.count > 60 ? text.prefix(60) + "…" : text[...]
        let safe = clipped.unicodeScalars.map {
            CharacterSet.controlCharacters.contains($0) ? "\u{FFFD}" : String($0)
        }
        return "\"\(safe.joined())\""
    }
}

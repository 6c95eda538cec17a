/// One or more key-encryption keys: the first wraps what is new, all of them open what is there.
package struct KeyRing: Sendable, Hashable {
    /// Most keys of one ring; a rotation needs two.
    package static let maximumCount = 16

    /// The keys, the current one first; never empty, no two alike.
    package let keys: [VaultKey]

    /// Joins keys.
    ///
    /// - Returns: `nil` without a key, or with one that is there twice.
    package init?(_ keys: [VaultKey]) {
        guard !keys.isEmpty, Set(keys).count == keys.count else { return nil }
        self.keys = keys
    }

    /// Makes a ring of one key.
    package init(_ key: VaultKey) { self.keys = [key] }

    /// The key that wraps what is new.
    package var current: VaultKey { self.keys[0] }

    /// The key of a name.
    package func key(_ id: String) -> VaultKey? { self.keys.first { $0.id == id } }

    /// Why a text is not a ring; says nothing of what stands in it but the line.
    package enum Refusal: Error, Hashable, Sendable {
        /// There is no key in it.
        case empty
        /// A line, counted from 1, holds something that is not a key.
        case notAKey(line: Int)
        /// A line, counted from 1, holds a key that stands there already.
        case repeated(line: Int)
        /// There are more keys than ``KeyRing/maximumCount``.
        case tooMany
    }

    /// Reads a ring: a key per line, or several with commas between them; `#` begins a comment.
    package init(text: String) throws(Refusal) {
        var keys: [VaultKey] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = line.prefix { $0 != "#" }
            for item in content.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
                guard let key = VaultKey(text: item) else { throw .notAKey(line: index + 1) }
                guard !keys.contains(key) else { throw .repeated(line: index + 1) }
                keys.append(key)
            }
        }
        guard keys.count <= Self.maximumCount else { throw .tooMany }
        guard let ring = KeyRing(keys) else { throw .empty }
        self = ring
    }
}

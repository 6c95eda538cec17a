import Foundation
import Synchronization

/// The tokens that are good now.
package final class TokenRegister: Sendable {
    private let file: TokensFile?
    private let records: Mutex<[TokenRecord]>

    /// Reads a file.
    ///
    /// - Throws: `ServerError.tokens`.
    package init(file: TokensFile) throws {
        self.file = file
        self.records = Mutex(try file.read())
    }

    /// Knows these tokens, and no file.
    package init(_ records: [TokenRecord]) {
        self.file = nil
        self.records = Mutex(records)
    }

    /// Reads the file anew.
    ///
    /// - Throws: `ServerError.tokens`; then the tokens that were good stay so.
    package func reload() throws {
        guard let file = self.file else { return }
        let records = try file.read()
        self.records.withLock { $0 = records }
    }

    /// Whether there is a token at all.
    package var isEmpty: Bool { self.records.withLock { $0.isEmpty } }

    /// Finds what is kept of a token that works at a time.
    ///
    /// All are compared, and each as a whole, so that the time tells nothing.
    func record(of token: AccessToken, at time: Date) -> TokenRecord? {
        let presented = token.digest
        var found: TokenRecord?
        for record in self.records.withLock({ $0 }) where ConstantTime.equal(record.digest, presented) {
            found = record
        }
        return found.flatMap { $0.isValid(at: time) ? $0 : nil }
    }
}

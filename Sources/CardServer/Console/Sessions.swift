import CardModel
import Crypto
import Foundation
import Synchronization

/// The sessions of the console, in memory: a restart signs all people out.
final class Sessions: Sendable {
    struct Session: Sendable {
        /// The digest of the token that the session began with; each request looks it up, so a revoked token ends the session.
        let token: Data
        let subject: String
        /// `en` or `zh`; `nil` for the language of the browser.
        var language: Language?
        /// Why personal data is viewed in this session, such as the number of a ticket.
        var purpose = ""
        /// Whether single keys press buttons (WCAG 2.1.4 asks for an off-switch).
        var hasKeys = true
        /// The cases that were skipped in this review.
        var skipped: Set<BusinessNumber> = []
        /// The outcome that the next page shows first.
        var outcome: Message?
        fileprivate let startedAt: Duration
        fileprivate var usedAt: Duration
    }

    private static let idleTime = Duration.seconds(30 * 60)
    private static let longestTime = Duration.seconds(10 * 3_600)
    private static let perSubject = 10
    private static let capacity = 1_000

    /// By the digest of their names: a copy of the memory opens none.
    private let sessions = Mutex<[SHA256Digest: Session]>([:])

    /// Begins a session; beyond the limit of the subject, or of all, the one unused for longest is dropped.
    ///
    /// - Returns: its name, for the browser's cookie: 256 random bits.
    func begin(_ token: AccessToken, language: Language?, at time: Duration) -> String {
        let name = Self.random()
        let session = Session(
            token: token.digest,
            subject: token.name,
            language: language,
            startedAt: time,
            usedAt: time
        )
        self.sessions.withLock { sessions in
            sessions = sessions.filter { Self.lasts($0.value, at: time) }
            Self.makeRoom(&sessions, most: Self.perSubject) { $0.subject == token.name }
            Self.makeRoom(&sessions, most: Self.capacity) { _ in true }
            sessions[Self.key(name)] = session
        }
        return name
    }

    /// Returns a session that has not expired.
    ///
    /// - Parameter isUse: whether a person makes the request; requests of a page by itself do not extend the session.
    func session(_ name: String, at time: Duration, isUse: Bool) -> Session? {
        self.sessions.withLock { sessions in
            let key = Self.key(name)
            guard let session = sessions[key], Self.lasts(session, at: time) else {
                sessions[key] = nil
                return nil
            }
            if isUse { sessions[key]?.usedAt = time }
            return session
        }
    }

    @discardableResult
    func change<Value: Sendable>(_ name: String, _ change: (inout Session) -> Value) -> Value? {
        self.sessions.withLock { sessions in
            let key = Self.key(name)
            guard var session = sessions[key] else { return nil }
            defer { sessions[key] = session }
            return change(&session)
        }
    }

    func remove(_ name: String) { self.sessions.withLock { $0[Self.key(name)] = nil } }

    /// Returns 256 random bits, as text for a cookie or a form.
    static func random() -> String { SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).hexadecimal } }

    private static func key(_ name: String) -> SHA256Digest { SHA256.hash(data: Data(name.utf8)) }

    private static func lasts(_ session: Session, at time: Duration) -> Bool {
        time - session.usedAt < Self.idleTime && time - session.startedAt < Self.longestTime
    }

    private static func makeRoom(
        _ sessions: inout [SHA256Digest: Session],
        most: Int,
        of isCounted: (Session) -> Bool
    ) {
        let counted = sessions.filter { isCounted($0.value) }
        guard counted.count >= most, let oldest = counted.min(by: { $0.value.usedAt < $1.value.usedAt }) else { return }
        sessions[oldest.key] = nil
    }
}

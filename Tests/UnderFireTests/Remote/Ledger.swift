import Foundation
import IDCardTesting
import Synchronization

/// A business backend that keeps its documents by idempotency key, as ours must: the same key makes no second document.
final class Ledger: Sendable {
    /// A document as the backend files it.
    struct Document: Hashable, Sendable {
        var key: String
        var token: String
        var businessNumber: String
        var kind: String
        var image: Data
    }

    /// What the backend says of one document: its code, and whether that takes it in.
    typealias Judge = @Sendable (_ document: Document, _ timesSeen: Int) -> String

    /// What the ledger answers with where nothing else is said.
    static let success = "000000"
    /// What it answers to a key that it knows.
    static let known = "000001"

    private struct State {
        var documents: [Document] = []
        var answers: [String: [String]] = [:]
        var timesSeen: [String: Int] = [:]
        var conflicts = 0
        var bodies: [String: Data] = [:]
        var token: String?
    }

    private let state = Mutex(State())
    private let writing: ReplyWriting
    private let judge: Judge

    /// Opens a ledger.
    ///
    /// - Parameters:
    ///   - writing: how its answers are written.
    ///   - judge: gives the code of each document.
    init(_ writing: ReplyWriting = .json, judge: @escaping Judge = { _, _ in Ledger.success }) {
        self.writing = writing
        self.judge = judge
    }

    /// The documents taken in, in order.
    var documents: [Document] { self.state.withLock { $0.documents } }
    /// How often a key came again with other bytes.
    var conflicts: Int { self.state.withLock { $0.conflicts } }
    /// The documents by business number and kind: exactly one of each if nothing was sent twice.
    var countsByDocument: [String: Int] {
        self.documents.reduce(into: [:]) { $0["\($1.businessNumber) \($1.kind)", default: 0] += 1 }
    }

    /// Takes only this TOKEN from now on.
    func demand(token: String) {
        self.state.withLock { $0.token = token }
    }

    /// Takes a request in, and says nothing of it.
    func commit(_ request: ReceivedRequest) {
        _ = self.answer(request)
    }

    /// Takes a request in and answers.
    func answer(_ request: ReceivedRequest) -> FaultReply {
        // The quotes are syntax (RFC 8941 section 3.3.3).
        let key = request.header("Idempotency-Key")?.trimmingCharacters(in: ["\""]) ?? ""
        guard !key.isEmpty, let form = try? RemoteForm(request) else {
            return .json(#"{"RETCODE":"E400","RETMSG":"no form"}"#, status: "400 Bad Request")
        }
        return self.state.withLock { state in
            if let token = state.token, form.text("TOKEN") != token { return FaultReply("401 Unauthorized") }
            let body = Data(request.body)
            if let earlier = state.bodies[key], earlier != body {
                state.conflicts += 1
                return FaultReply("422 Unprocessable Content")
            }
            state.bodies[key] = body
            if let codes = state.answers[key] {
                return self.writing.reply(to: codes.count == 1 ? [Self.known] : codes)
            }
            let codes = Self.documents(in: form, key: key).map { document in
                state.timesSeen[document.businessNumber + document.kind, default: 0] += 1
                let seen = state.timesSeen[document.businessNumber + document.kind, default: 0]
                let code = self.judge(document, seen)
                if code == Self.success { state.documents.append(document) }
                return code
            }
            // "Not now" is no answer to keep: the same key is asked again.
            if codes.count > 1 || codes == [Self.success] { state.answers[key] = codes }
            return self.writing.reply(to: codes)
        }
    }

    /// Reads the documents of a form of any layout: what stands before a file holds for it.
    private static func documents(in form: RemoteForm, key: String) -> [Document] {
        var current = Document(key: key, token: "", businessNumber: "", kind: "", image: Data())
        var documents: [Document] = []
        for part in form.parts {
            let text = part.isFile ? "" : String(decoding: part.content, as: UTF8.self)
            switch part.name {
            case "TOKEN": current.token = text
            case "BUSINESSNO": current.businessNumber = text
            case "DOCTYPE": current.kind = text
            case "FILE":
                current.image = part.content
                documents.append(current)
            default: break
            }
        }
        return documents
    }
}

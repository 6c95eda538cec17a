import Crypto
import FoundationEssentials

/// What the backend has answered and stored: an index in memory of the lines in its folder.
///
/// That a key is answered once, and a document stored once, is decided here.
struct Ledger: Sendable {
    enum Outcome: Sendable {
        /// A business answer, fresh or repeated.
        case answered(UploadAnswer, isReplay: Bool)
        /// The key came before with other content.
        case keyReused
    }

    /// The documents of one side of a business number that are not erased.
    private struct Side {
        /// The highest number of a file. It is not their count, since an erased document leaves a gap.
        var highest = 0
        /// The SHA-256 of each image.
        var images: Set<String> = []
    }

    /// How many documents were ever stored.
    private(set) var count = 0
    private let folder: LedgerFolder
    private var tokens: TokenRegister
    /// The answered uploads by their keys.
    private var answers: [String: UploadLine] = [:]
    /// By side and business number.
    private var sides: [SubmittedDocument.Kind: [String: Side]] = [:]

    init(_ contents: LedgerFolder.Contents, in folder: LedgerFolder, tokens: TokenRegister) {
        self.folder = folder
        self.tokens = tokens
        for line in contents.refusals { self.answers[line.key] = line }
        for line in contents.documents { self.add(line) }
    }

    /// Answers an upload; the result is durable when this returns.
    ///
    /// - Throws: the error of a file when nothing was stored.
    mutating func answer(_ upload: Upload) throws -> Outcome {
        if let known = self.answers[upload.key] {
            return known.digest == upload.digest ? .answered(known.answer, isReplay: true) : .keyReused
        }
        let (answer, token, documents) = self.judge(upload)
        let line = UploadLine(upload, answer)
        if documents.isEmpty {
            try self.folder.store(line)
            self.answers[line.key] = line
        } else {
            let lines = documents.map { LedgerLine(upload: line, document: $0.document) }
            try self.folder.store(lines, with: documents.map(\.image))
            for line in lines { self.add(line) }
            self.tokens.noteAcceptance(of: lines.count, with: token)
        }
        return .answered(answer, isReplay: false)
    }

    private mutating func add(_ line: LedgerLine) {
        let document = line.document
        self.count = document.sequence
        // An erased document of an upload has lost the digest that the others of it still have.
        if self.answers[line.upload.key]?.digest.isEmpty != false { self.answers[line.upload.key] = line.upload }
        guard !document.isErased else { return }
        var side = self.sides[document.kind]?[document.businessNumber] ?? Side()
        side.highest = max(side.highest, document.fileNumber)
        side.images.insert(document.imageDigest)
        self.sides[document.kind, default: [:]][document.businessNumber] = side
    }

    /// The answer to an upload, and what is to be stored of it under which TOKEN.
    private func judge(
        _ upload: Upload
    ) -> (answer: UploadAnswer, token: String, documents: [(document: StoredDocument, image: Data)]) {
        do throws(UploadAnswer) {
            let submission = try Submission(checking: upload.parts)
            try self.tokens.check(submission.token)
            var documents: [(document: StoredDocument, image: Data)] = []
            var items: [UploadAnswer] = []
            for (index, submitted) in submission.documents.enumerated() {
                do throws(UploadAnswer) {
                    let submitted = try submitted.get()
                    let document = try self.document(
                        submitted,
                        at: index + 1,
                        from: submission.userNumber,
                        after: documents.map(\.document)
                    )
                    documents.append((document, submitted.image))
                    items.append(UploadAnswer(.success, "success"))
                } catch {
                    items.append(error)
                }
            }
            if submission.isApplication, let refusal = UploadAnswer(toRefusedApplication: items) { throw refusal }
            for index in documents.indices where documents.count > 1 {
                documents[index].document.following = documents.count - 1 - index
            }
            return (UploadAnswer(to: items), submission.token, documents)
        } catch {
            return (error, "", [])
        }
    }

    /// A document as it is stored after others of its upload.
    ///
    /// - Throws: the answer to one that is stored already.
    private func document(
        _ submitted: SubmittedDocument,
        at position: Int,
        from userNumber: String,
        after others: [StoredDocument]
    ) throws(UploadAnswer) -> StoredDocument {
        let (number, kind) = (submitted.businessNumber, submitted.kind)
        let digest = Hexadecimal.text(SHA256.hash(data: submitted.image))
        let side = self.sides[kind]?[number]
        let related = others.filter { $0.businessNumber == number }
        let same = related.filter { $0.kind == kind }
        guard side?.images.contains(digest) != true, !same.contains(where: { $0.imageDigest == digest }) else {
            throw UploadAnswer(.alreadyExists, "this document is stored already")
        }
        let hasFront = self.sides[.front]?[number] != nil || related.contains { $0.kind == .front }
        return StoredDocument(
            sequence: self.count + others.count + 1,
            position: position,
            businessNumber: number,
            kind: kind,
            userNumber: userNumber,
            imageDigest: digest,
            file: StoredDocument.file((side?.highest ?? 0) + same.count + 1, of: kind, number),
            isOutOfOrder: kind == .back && !hasFront
        )
    }
}

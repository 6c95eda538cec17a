import Crypto
import FoundationEssentials

/// The answers and documents of the backend: an index in memory of the lines in its folder.
///
/// The ledger ensures that each key is answered once and each document stored once.
struct Ledger: Sendable {
    /// The number of documents ever stored.
    private(set) var count = 0
    private let folder: LedgerFolder
    private var tokens: TokenRegister
    /// The answered uploads by their keys.
    private var answers: [String: UploadLine] = [:]
    /// For each image that is not erased, the stem of its file and its SHA-256.
    private var images: Set<[String]> = []
    /// The highest number of the files of each stem; not how many they are, since an erased document leaves a gap.
    private var numbers: [String: Int] = [:]

    init(_ contents: LedgerFolder.Contents, in folder: LedgerFolder, tokens: TokenRegister) {
        self.folder = folder
        self.tokens = tokens
        for line in contents.refusals { self.answers[line.key] = line }
        for line in contents.documents { self.add(line) }
    }

    /// Answers an upload; the result is durable when this returns.
    ///
    /// - Returns: The answer, new or repeated; `nil` if the key was used before with other content.
    /// - Throws: the error of a file when nothing was stored.
    mutating func answer(_ upload: Upload) throws -> (answer: UploadAnswer, isReplay: Bool)? {
        if let known = self.answers[upload.key] {
            guard known.digest == upload.digest else { return nil }
            return (known.answer, true)
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
            self.tokens.countAcceptance(of: lines.count, with: token)
        }
        return (answer, false)
    }

    private mutating func add(_ line: LedgerLine) {
        let document = line.document
        self.count = document.sequence
        // The line of an erased document has no digest of the upload; those of the other documents still have it.
        if self.answers[line.upload.key]?.digest.isEmpty != false { self.answers[line.upload.key] = line.upload }
        guard !document.isErased else { return }
        self.images.insert([document.stem, document.imageDigest])
        self.numbers[document.stem] = max(self.numbers[document.stem] ?? 0, document.fileNumber)
    }

    /// Returns the answer to an upload, its TOKEN, and the documents to store.
    private func judge(
        _ upload: Upload
    ) -> (answer: UploadAnswer, token: String, documents: [(document: StoredDocument, image: Data)]) {
        do throws(UploadAnswer) {
            let submission = try Submission(checking: upload.parts)
            try self.tokens.check(submission.token)
            var documents: [(document: StoredDocument, image: Data)] = []
            var items: [UploadAnswer] = []
            for index in submission.documents.indices {
                do throws(UploadAnswer) {
                    documents.append(try self.document(at: index, of: submission, after: documents.map(\.document)))
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

    /// Returns a document of an upload and its image, as stored after the earlier documents of the upload.
    ///
    /// - Throws: The answer, if the document is refused or already stored.
    private func document(
        at index: Int,
        of submission: Submission,
        after others: [StoredDocument]
    ) throws(UploadAnswer) -> (document: StoredDocument, image: Data) {
        let document = try submission.documents[index].get()
        let digest = Hexadecimal.text(SHA256.hash(data: document.image))
        let (stem, front) = (document.fileStem(of: document.kind), document.fileStem(of: .front))
        let same = others.filter { $0.stem == stem }
        guard !self.images.contains([stem, digest]), !same.contains(where: { $0.imageDigest == digest }) else {
            throw UploadAnswer(.alreadyExists, "this document is stored already")
        }
        let stored = StoredDocument(
            sequence: self.count + others.count + 1,
            position: index + 1,
            businessNumber: document.businessNumber,
            kind: document.kind,
            userNumber: submission.userNumber,
            imageDigest: digest,
            file: "\(stem)-\((self.numbers[stem] ?? 0) + same.count + 1).jpg",
            isOutOfOrder: stem != front && self.numbers[front] == nil && !others.contains { $0.stem == front }
        )
        return (stored, document.image)
    }
}

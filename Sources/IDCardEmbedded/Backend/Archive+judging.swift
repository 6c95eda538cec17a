import Crypto
import FoundationEssentials

extension Archive {
    /// What identifies an upload.
    struct Upload {
        let key: String
        let contentDigest: String
    }

    /// What is to become of one document.
    private enum Judgement {
        case new(SubmittedDocument, DocumentIdentity)
        case known
        case refused(code: String, text: String)
    }

    /// Judges the parts of an upload and keeps what it comes to.
    func judge(
        _ parts: [ReceivedForm.Part],
        of upload: Upload,
        state: inout State
    ) throws(EmbeddedError) -> UploadAnswer {
        let codes = self.configuration.replyCodes
        func refuse(_ answer: UploadAnswer, _ state: inout State) throws(EmbeddedError) -> UploadAnswer {
            try self.keepRefusal(answer, of: upload, state: &state)
        }
        let submission: Submission
        do {
            submission = try Submission(checking: parts, businessTypes: self.configuration.businessTypes)
        } catch {
            return try refuse(UploadAnswer(code: codes.code(for: error.reason), message: error.text), &state)
        }
        switch state.tokens.judge(submission.token) {
        case .good: break
        case .expired: return try refuse(UploadAnswer(code: codes.tokenExpired, message: "TOKEN has expired"), &state)
        case .unknown: return try refuse(UploadAnswer(code: codes.tokenUnknown, message: "TOKEN is unknown"), &state)
        }
        let judgements = self.judgements(of: submission, known: state.documents)
        let answer = self.answer(to: judgements)
        let isWhole = submission.layout == .application
        let isRefused = judgements.contains { if case .refused = $0 { true } else { false } }
        let accepted = judgements.enumerated().compactMap { index, judgement in
            if case .new(let document, let identity) = judgement { (index, document, identity) } else { nil }
        }
        if isWhole && isRefused && judgements.count > 1 {
            return try refuse(self.withNothingApplied(answer, judgements), &state)
        }
        if accepted.isEmpty { return try refuse(answer, &state) }
        try self.keep(accepted, of: submission, upload: upload, answer: answer, state: &state)
        return answer
    }

    private func judgements(of submission: Submission, known: Set<DocumentIdentity>) -> [Judgement] {
        var known = known
        return submission.documents.map { document in
            switch document {
            case .failure(let refusal):
                return .refused(code: self.configuration.replyCodes.code(for: refusal.reason), text: refusal.text)
            case .success(let document):
                let identity = DocumentIdentity(
                    businessNumber: document.businessNumber,
                    documentType: document.kind.rawValue,
                    imageDigest: Hexadecimal.text(SHA256.hash(data: document.image))
                )
                return known.insert(identity).inserted ? .new(document, identity) : .known
            }
        }
    }

    /// The answer: for one document its own, for several one for each and one for all.
    private func answer(to judgements: [Judgement]) -> UploadAnswer {
        let codes = self.configuration.replyCodes
        let items = judgements.map { judgement in
            switch judgement {
            case .new: UploadAnswer.Item(code: codes.success, message: "success")
            case .known: UploadAnswer.Item(code: codes.alreadyExists, message: "this document is stored already")
            case .refused(let code, let text): UploadAnswer.Item(code: code, message: text)
            }
        }
        guard items.count > 1 else { return UploadAnswer(code: items[0].code, message: items[0].message) }
        let held = [codes.success, codes.alreadyExists]
        let refused = items.filter { !held.contains($0.code) }
        if let first = refused.first {
            return refused.count == items.count
                ? UploadAnswer(code: first.code, message: first.message, items: items)
                : UploadAnswer(code: codes.partlyRefused, message: "see ITEMS", items: items)
        }
        let isNews = items.contains { $0.code == codes.success }
        return UploadAnswer(
            code: isNews ? codes.success : codes.alreadyExists,
            message: isNews ? "success" : "these documents are stored already",
            items: items
        )
    }

    /// The answer to an application of which one document was refused: the others are not stored either.
    private func withNothingApplied(_ answer: UploadAnswer, _ judgements: [Judgement]) -> UploadAnswer {
        let codes = self.configuration.replyCodes
        let items = zip(answer.items ?? [], judgements).map { item, judgement in
            if case .new = judgement {
                return UploadAnswer.Item(code: codes.notApplied, message: "not stored: the other document was refused")
            }
            return item
        }
        let first = zip(items, judgements).first { if case .refused = $0.1 { true } else { false } }?.0
        return UploadAnswer(code: first?.code ?? answer.code, message: first?.message ?? answer.message, items: items)
    }

    private func keepRefusal(
        _ answer: UploadAnswer,
        of upload: Upload,
        state: inout State
    ) throws(EmbeddedError) -> UploadAnswer {
        let entry = RefusalEntry(
            time: self.now().formatted(.iso8601),
            idempotencyKey: upload.key,
            contentDigest: upload.contentDigest,
            replyCode: answer.code,
            replyMessage: answer.message,
            items: answer.items
        )
        try state.refusals.append([entry])
        state.refusalEntries.append(entry)
        Self.remember(entry, in: &state)
        return answer
    }

    /// Keeps the accepted documents of an upload, and then their lines together.
    private func keep(
        _ accepted: [(index: Int, document: SubmittedDocument, identity: DocumentIdentity)],
        of submission: Submission,
        upload: Upload,
        answer: UploadAnswer,
        state: inout State
    ) throws(EmbeddedError) {
        var group: [LedgerEntry] = []
        for (index, document, identity) in accepted {
            let ofNumber = (state.entries + group).filter { $0.businessNumber == document.businessNumber }
            let hasFront = ofNumber.contains { $0.documentType == SubmittedDocument.Kind.front.rawValue }
            let entry = LedgerEntry(
                sequence: state.entries.count + group.count + 1,
                time: self.now().formatted(.iso8601),
                idempotencyKey: upload.key,
                position: index + 1,
                businessNumber: document.businessNumber,
                documentType: identity.documentType,
                userNumber: submission.userNumber,
                imageDigest: identity.imageDigest,
                contentDigest: upload.contentDigest,
                file: try self.write(document, after: ofNumber),
                isOutOfOrder: document.kind == .back && !hasFront,
                replyCode: answer.code,
                replyMessage: answer.message,
                items: answer.items,
                following: accepted.count > 1 ? accepted.count - group.count - 1 : nil
            )
            group.append(entry)
        }
        try state.ledger.append(group)
        state.entries += group
        for entry in group {
            Self.remember(entry, in: &state)
            state.tokens.noteAcceptance(with: submission.token)
        }
    }

    /// Writes an image under the next free number of its kind.
    ///
    /// - Returns: The file, relative to the backend's folder.
    private func write(_ document: SubmittedDocument, after others: [LedgerEntry]) throws(EmbeddedError) -> String {
        // Not by count: an erased document leaves a gap, and nothing may be written over.
        let number = (others.compactMap { $0.number(of: document.kind) }.max() ?? 0) + 1
        let folder = "documents/" + FolderName.sanitized(document.businessNumber)
        let file = "\(folder)/\(document.kind.rawValue)-\(number).jpg"
        try DurableFile.makeFolder("\(self.configuration.folder)/\(folder)")
        try DurableFile.write(document.image, to: "\(self.configuration.folder)/\(file)")
        return file
    }
}

extension LedgerEntry {
    /// The number in the name of its file, if it is of a kind.
    fileprivate func number(of kind: SubmittedDocument.Kind) -> Int? {
        guard self.documentType == kind.rawValue, let dash = self.file.lastIndex(of: "-") else { return nil }
        return Int(self.file[self.file.index(after: dash)...].prefix { $0 != "." })
    }
}

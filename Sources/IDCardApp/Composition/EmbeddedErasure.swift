import IDCardCore
import IDCardEmbedded
import IDCardPipeline
import IDCardSandbox

/// Has the built-in backend forget what the sandbox has erased: its folder lies on this machine, so it is ours to clear.
struct EmbeddedErasure {
    let store: SandboxStore
    /// The folder in which the backend keeps documents and ledger.
    let folder: String

    /// Erases the documents of all erased cards, also of those for which that was not possible before, and writes their
    /// certificates anew.
    ///
    /// - Throws: `StoreError` or `EmbeddedError`; a backend that is running is none, its documents remain for now.
    func finish() async throws {
        let open = try await self.store.erasureCertificates().filter { $0.documents != .erased }
        guard !open.isEmpty else { return }
        let cards = Set(open.map(\.card))
        let documents = try await self.store.erasedDocuments().filter { cards.contains($0.card) }
        let erased = try self.erase(documents)
        for standing in [ErasureCertificate.Documents.erased, .remaining] {
            let affected = open.filter { Self.standing(of: $0, erased: erased) == standing }
            try await self.store.certify(standing, of: affected.map(\.card))
        }
    }

    /// Returns the cards of which a document was found, now or before, and is erased; `nil` if the folder is in use.
    private func erase(_ documents: [ErasedDocument]) throws -> Set<CardID>? {
        let places = documents.map { DocumentPlace(key: $0.delivery.rawValue, position: $0.position + 1) }
        do {
            let found = try EmbeddedBackend.erase(places, in: self.folder)
            return Set(zip(documents, places).filter { found.contains($0.1) }.map(\.0.card))
        } catch {
            // In use: named in the certificate, and done by the next erasure or run.
            if error.code == .folderInUse { return nil }
            throw error
        }
    }

    private static func standing(
        of certificate: ErasureCertificate,
        erased: Set<CardID>?
    ) -> ErasureCertificate.Documents {
        switch certificate.backend {
        case .notSent, .refused: .erased
        case .mayHold: erased == nil ? .remaining : .erased
        // What the backend took and this folder does not have lies in another one.
        case .holds: erased?.contains(certificate.card) == true ? .erased : .remaining
        }
    }
}

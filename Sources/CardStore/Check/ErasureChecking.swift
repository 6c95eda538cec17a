import CardModel
import Foundation

// Whether the list of erasures and the certificates of erased cards say the same.
extension CardStore {
    func erasureFindings() async throws -> [SandboxFinding] {
        // Before the list is read: a line is durable before its certificate is.
        let erased = try await self.database.read { tx in
            try tx.rows("SELECT id, certificate FROM card WHERE state = 'erased' ORDER BY intake_order") { row in
                (card: try row.next(CardID.self), certificate: try row.next(Data?.self))
            }
        }
        let (unerased, lines): ([ErasureList.Entry], [CardID: [ErasureCertificate?]])
        do {
            lines = try self.erasureList.certificates()
            unerased = lines.isEmpty ? [] : try await self.unerased()
        } catch let error as CodedError {
            return [SandboxFinding(code: error.code.rawValue, message: error.message)]
        }
        let differing = erased.compactMap { Self.finding(of: $0.card, $0.certificate, lines[$0.card] ?? []) }
        let cutOff = unerased.map { entry in
            SandboxFinding(code: "erasure_cut_off", card: entry.card, message: .fsckErasureCutOff(entry.card))
        }
        return cutOff + differing.prefix(Limits.findingsPerRule)
    }

    /// Writes the lines that the list of erasures lacks, from the certificates.
    func writeMissingErasureLines() async throws {
        while true {
            let findings = try await self.erasureFindings().filter { $0.code == "erasure_line_missing" }
            let certificates = try await self.certificates(of: findings.compactMap(\.card))
            guard !certificates.isEmpty else { return }
            try self.erasureList.append(certificates.map { try $0.line })
        }
    }

    /// The cards that the list names as erased although they are not: a process was killed in between.
    func unerased() async throws -> [ErasureList.Entry] {
        let entries = try self.erasureList.entries()
        return try await self.database.read { tx in
            try entries.filter { entry in
                try tx.exists("SELECT 1 FROM card WHERE id = \(entry.card) AND state <> 'erased'")
            }
        }
    }

    /// Compares the certificate of an erased card with its lines in the list.
    private static func finding(
        of card: CardID,
        _ stored: Data?,
        _ lines: [ErasureCertificate?]
    ) -> SandboxFinding? {
        guard let stored else {
            guard !lines.isEmpty else { return nil }
            return SandboxFinding(code: "certificate_missing", card: card, message: .fsckCertificateMissing)
        }
        guard !lines.isEmpty else {
            return SandboxFinding(code: "erasure_line_missing", card: card, message: .fsckErasureLineMissing)
        }
        // The line of another erasing of the card, by a restore or one that was cut off, may differ.
        if let certificate = try? JSONDecoder().decode(ErasureCertificate.self, from: stored),
            lines.contains(certificate),
            lines.allSatisfy({ $0 == nil || $0 == certificate || $0?.accessCode != certificate.accessCode })
        {
            return nil
        }
        return SandboxFinding(code: "erasure_line_changed", card: card, message: .fsckErasureLineChanged(card))
    }
}

import Foundation
import IDCardCore

// One line of `erasures.jsonl`; the time is written as people read it.
extension ErasureCertificate {
    private enum CodingKeys: String, CodingKey {
        case card = "card_id"
        case erasedAt = "erased_at"
        case reason
        case actor
        case purpose
        case sourceFileCount = "source_files"
        case verifier
        case backend
        case deliveries
        case exportCount = "exports"
        case documents = "embedded_documents"
        case accessNumber = "access_number"
        case accessCode = "access_mac"
        case isScrubbed = "scrubbed"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let time = try container.decode(String.self, forKey: .erasedAt)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        self.init(
            card: try container.decode(CardID.self, forKey: .card),
            erasedAt: Timestamp(try style.parse(time)),
            reason: try container.decode(ReasonCode.self, forKey: .reason),
            origin: AccessOrigin(
                actor: try container.decode(String.self, forKey: .actor),
                purpose: try container.decode(String.self, forKey: .purpose)
            ),
            sourceFileCount: try container.decode(Int.self, forKey: .sourceFileCount),
            verifier: try container.decode(Remote.self, forKey: .verifier),
            backend: try container.decode(Remote.self, forKey: .backend),
            deliveries: try container.decode([String].self, forKey: .deliveries),
            // Certificates of before do not count them.
            exportCount: try container.decodeIfPresent(Int.self, forKey: .exportCount) ?? 0
        )
        self.documents = try container.decodeIfPresent(Documents.self, forKey: .documents)
        self.accessNumber = try container.decode(Int64.self, forKey: .accessNumber)
        self.accessCode = try container.decode(String.self, forKey: .accessCode)
        self.isScrubbed = try container.decode(Bool.self, forKey: .isScrubbed)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.card, forKey: .card)
        try container.encode(self.erasedAt.description, forKey: .erasedAt)
        try container.encode(self.reason, forKey: .reason)
        try container.encode(self.actor, forKey: .actor)
        try container.encode(self.purpose, forKey: .purpose)
        try container.encode(self.sourceFileCount, forKey: .sourceFileCount)
        try container.encode(self.verifier, forKey: .verifier)
        try container.encode(self.backend, forKey: .backend)
        try container.encode(self.deliveries, forKey: .deliveries)
        try container.encode(self.exportCount, forKey: .exportCount)
        try container.encodeIfPresent(self.documents, forKey: .documents)
        try container.encode(self.accessNumber, forKey: .accessNumber)
        try container.encode(self.accessCode, forKey: .accessCode)
        try container.encode(self.isScrubbed, forKey: .isScrubbed)
    }
}

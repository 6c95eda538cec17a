/// The column for which a value is sealed; it cannot be unsealed for another one. Seals cover the texts of the columns, so these
/// texts never change, even if a column is renamed.
enum SealedColumn {
    case storeKeys, cardKey, cardMetadata, cardMessage, decisionMessage, address, image, answer, parts
    /// A piece of the source that begins at an offset, which is sealed with it, so that pieces cannot be exchanged.
    case source(Int)
    case reading(provider: String, parameters: String)

    /// The name in messages.
    var name: String {
        switch self {
        case .storeKeys: "store.sealed_keys"
        case .cardKey: "card_key.wrapped"
        case .cardMetadata: "card.metadata"
        case .cardMessage: "card.message"
        case .decisionMessage: "decision.message"
        case .address: "blob.address"
        case .image: "blob.image"
        case .answer: "delivery_card.answer"
        case .parts: "delivery.parts"
        case .source: "blob.source"
        case .reading: "reading.bytes"
        }
    }

    var text: String {
        switch self {
        case .source(let start): "\(self.name) \(start)"
        case .reading(let provider, let parameters): "\(self.name) \(provider) \(parameters)"
        default: self.name
        }
    }
}

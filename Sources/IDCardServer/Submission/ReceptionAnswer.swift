import HTTPTypes
import Hummingbird
import IDCardCore
import IDCardPipeline

/// What a sender is told of what became of an image.
struct ReceptionAnswer: Encodable {
    let cardID: CardID
    let state: CardState
    /// Whether the same image was there already.
    let duplicate: Bool

    enum CodingKeys: String, CodingKey {
        case cardID = "card_id"
        case state
        case duplicate
    }

    /// Makes the answer.
    ///
    /// - Parameters:
    ///   - outcome: what became of it.
    ///   - metadata: what the sender said; a card that cannot take it over any more is reported, but not to a sender
    ///     who repeats what was answered with yes, whatever others have said since.
    ///   - reuse: what is wrong if the name of the request was used for another.
    /// - Throws: ``Problem``: `card_underway` or `reuse`.
    static func response(
        to outcome: ReceptionOutcome,
        metadata: CardMetadata,
        reuse: ProblemCode
    ) throws -> Response {
        switch outcome {
        case .admitted(let card): return self.response(of: card, isDuplicate: false, isReplay: false)
        case .duplicate(let card):
            guard card.says(metadata) else { throw self.underway(card) }
            return self.response(of: card, isDuplicate: true, isReplay: false)
        case .repeated(let card): return self.response(of: card, isDuplicate: false, isReplay: true)
        case .nameReused: throw Problem(reuse)
        }
    }

    private static func underway(_ card: Card) -> Problem {
        var problem = Problem(.cardUnderway, "It is the card \(card.id), which is \(card.state).")
        problem.headers[.location] = "/v1/cards/\(card.id)"
        return problem
    }

    private static func response(of card: Card, isDuplicate: Bool, isReplay: Bool) -> Response {
        var headers: HTTPFields = [.location: "/v1/cards/\(card.id)"]
        if isReplay { headers[.idempotentReplayed] = "true" }
        return JSONAnswer.response(
            ReceptionAnswer(cardID: card.id, state: card.state, duplicate: isDuplicate),
            status: .accepted,
            headers: headers
        )
    }
}

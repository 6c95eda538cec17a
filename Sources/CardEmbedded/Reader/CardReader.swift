import Dispatch

/// Reads a card from a photograph: finds it, rectifies it, and runs tesseract on each printed line.
///
/// The reader knows the layout of a real card, but no data of its holder.
struct CardReader: Sendable {
    /// The number of outlines searched for printed labels when no number or date was found. That is the slowest step,
    /// and most pictures that reach it hold no card.
    private static let wordSearches = 2

    let tesseract: Tesseract

    /// - Parameter jpeg: A whole JPEG file, upright or upside down.
    /// - Returns: The reading, or `nil` if no card is seen in the picture.
    /// - Throws: ``EmbeddedError`` with a code of the image or of tesseract.
    func text(ofJPEG jpeg: [UInt8], edges: ClosedRange<Int> = 48...4096) async throws -> CardText? {
        let (photo, candidates) = try await DispatchQueue.pixels.run {
            let photo = try Raster(decoding: jpeg, edges: edges)
            return (photo, Self.orientedCandidates(in: photo))
        }
        var best: CardText?
        for (index, quad) in candidates.enumerated() {
            let card = try await DispatchQueue.pixels.run { RectifiedCard(of: photo, in: quad) }
            guard let side = try await self.side(of: card, searchingWords: index < Self.wordSearches) else { continue }
            let legality = try await DispatchQueue.pixels.run { LegalityEstimator().legality(of: card) }
            let text = CardText(side: side, legality: legality)
            if text.side.isComplete { return text }
            // A wrong outline may cut a field off: another outline may show more.
            if text.side.fieldCount > best?.side.fieldCount ?? 0 { best = text }
        }
        return best
    }

    /// Returns every outline upright, then upside down; outlines higher than wide count as rotated by a quarter turn.
    private static func orientedCandidates(in photo: Raster) -> [Quad] {
        let quads = CardFinder().candidates(in: photo)
        let upright = quads.map { $0.aspect >= 1 ? $0 : $0.turned(quarters: 1) }
        return upright.flatMap { [$0, $0.turned(quarters: 2)] }
    }

    /// Reads the side that the first line indicates: dates are those of a back, digits those of a front; else the labels decide.
    private func side(of card: RectifiedCard, searchingWords: Bool) async throws -> CardText.Side? {
        let line = try await self.digits(of: card.numberLine(.first), alphabet: "0123456789X.-")
        if FieldText.period(line) != nil { return .back(try await self.tesseract.back(of: card.flat)) }
        let number = NumberBallot.cleaned(line)
        if !line.contains("."), number.count >= 15 { return try await self.front(of: card, firstReading: line) }
        guard searchingWords else { return nil }
        let text = try await self.tesseract.text(of: card.flat, language: .chinese, mode: .sparse)
        switch FieldText.sideNamed(in: text) {
        case .front: return try await self.front(of: card, firstReading: line)
        case .back: return .back(try await self.tesseract.back(of: card.flat))
        case nil: return nil
        }
    }

    private func front(of card: RectifiedCard, firstReading: String) async throws -> CardText.Side {
        async let fields = self.tesseract.front(of: card.inkOnly)
        let number = try await self.number(of: card, firstReading: firstReading)
        var front = try await fields
        front.number = number
        return .front(front)
    }

    /// Reads the number in several ways, until one reading is certain.
    private func number(of card: RectifiedCard, firstReading: String) async throws -> String? {
        var ballot = NumberBallot()
        ballot.add(firstReading)
        for attempt in RectifiedCard.NumberAttempt.allCases {
            if let certain = ballot.certain { return certain }
            ballot.add(try await self.digits(of: card.numberLine(attempt), alphabet: "0123456789X"))
        }
        return ballot.certain ?? ballot.result
    }

    private func digits(of line: Raster, alphabet: String) async throws -> String {
        try await self.tesseract.text(of: line, language: .digits, mode: .line, alphabet: alphabet)
    }
}

extension DispatchQueue {
    /// The queue for loops over pixels, which must block neither an event loop nor Swift's cooperative threads.
    fileprivate static let pixels = DispatchQueue(label: "idcard.embedded.pixels", attributes: .concurrent)

    /// Runs work that blocks a thread.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.async { continuation.resume(with: Result { try work() }) }
        }
    }
}

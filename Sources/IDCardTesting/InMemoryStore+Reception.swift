import Foundation
package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func makeSpool() throws -> any SourceSpool { InMemorySpool() }

    package func receive(_ reception: Reception, as id: CardID, now: Timestamp) async throws -> ReceptionOutcome {
        try self.memory.change { state in
            if let receipt = reception.receipt, let known = try state.outcome(of: receipt) { return known }
            if let error = state.admissionError { throw error }
            let outcome = try state.take(reception, as: id, now: now)
            guard let receipt = reception.receipt else { return outcome }
            switch outcome {
            case .admitted(let card), .duplicate(let card):
                if card.says(reception.metadata) { state.keep(receipt, for: card.id, now: now) }
            case .repeated, .nameReused: break
            }
            return outcome
        }
    }

    package func outcome(of receipt: Receipt) async throws -> ReceptionOutcome? {
        try self.memory.look { try $0.outcome(of: receipt) }
    }

    package func forgetReceipts(before time: Timestamp) async throws -> Int {
        self.memory.change { state in
            let old = state.receipts.filter { $0.value.createdAt < time }.keys
            for name in old { state.receipts[name] = nil }
            return old.count
        }
    }

    package func queueDepth(upTo limit: Int) async throws -> Int {
        self.memory.look { state in
            let depth = state.cards.values.count { entry in
                let elsewhere = ReasonCode.askingAPerson.union(ReasonCode.awaitingPhotos)
                let waits = entry.card.state == .verified && entry.card.reason.map(elsewhere.contains) == true
                return entry.card.state.isRunnable && !waits
            }
            return min(max(0, limit), depth)
        }
    }

    package func waitingDepth(upTo limit: Int) async throws -> Int {
        self.memory.look { state in
            let depth = state.cards.values.count { entry in
                let asksAPerson = entry.card.reason.map(ReasonCode.askingAPerson.contains) == true
                return entry.card.state == .held || entry.card.state == .verified && asksAPerson
            }
            return min(max(0, limit), depth)
        }
    }

    package func keep(_ run: SourceRun) async throws {
        self.memory.change { $0.runs[run.id] = run }
    }

    package func run(_ id: String) async throws -> SourceRun? {
        self.memory.look { $0.runs[id] }
    }

    package func openRuns() async throws -> [SourceRun] {
        self.memory.look { state in
            state.runs.values.filter { $0.state == .running }
                .sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
        }
    }
}

extension InMemoryState {
    fileprivate func outcome(of receipt: Receipt) throws -> ReceptionOutcome? {
        guard let kept = self.receipts[ReceiptName(scope: receipt.scope, name: receipt.name)] else { return nil }
        guard kept.request == receipt.request else { return .nameReused }
        return .repeated(try self.entry(of: kept.card).card)
    }

    fileprivate mutating func keep(_ receipt: Receipt, for card: CardID, now: Timestamp) {
        let kept = KeptReceipt(request: receipt.request, card: card, createdAt: now)
        self.receipts[ReceiptName(scope: receipt.scope, name: receipt.name)] = kept
    }

    fileprivate mutating func take(_ reception: Reception, as id: CardID, now: Timestamp) throws -> ReceptionOutcome {
        let number = reception.metadata.businessNumber
        if let place = reception.place, let known = self.card(ofFile: place, businessNumber: number),
            known.card.state != .rejected
        {
            return .duplicate(self.takeOver(reception.metadata, into: known, now: now))
        }
        var pieces: [Int: Data] = [:]
        var fetch: Fetch?
        let digest: ContentDigest
        switch reception.source {
        case .bytes(let source):
            if let known = self.cardOfContent(source.digest, businessNumber: number) {
                return .duplicate(self.takeOver(reception.metadata, into: known, now: now))
            }
            digest = source.digest
            var offset = 0
            while offset < source.byteCount {
                let piece = try source.read(at: offset)
                pieces[offset] = piece
                offset += piece.count
            }
        case .address(let address):
            fetch = Fetch(address: address)
            // Until the bytes are known: no two of these are the same card.
            digest = ContentDigest(of: Data("\(id) is to be fetched".utf8))
        }
        let card = Card(
            id: id,
            state: fetch == nil ? .received : .fetching,
            metadata: reception.metadata,
            intakeOrder: reception.intakeOrder ?? self.nextIntakeOrder,
            createdAt: now,
            changedAt: now
        )
        if reception.intakeOrder == nil { self.nextIntakeOrder += 1 }
        var entry = CardEntry(card: card, sourceDigest: digest)
        (entry.pieces, entry.fetch) = (pieces, fetch)
        self.cards[id] = entry
        self.append(CardEvent(at: now, kind: "received", state: card.state), to: id)
        if let place = reception.place { self.remember(place, of: card) }
        return .admitted(card)
    }
}

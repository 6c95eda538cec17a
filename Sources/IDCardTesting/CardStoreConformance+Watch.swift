import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let watch: [Case] = [
        Case("a folder that has held a sidecar is remembered, for other owners, too") { subject in
            let folder = Redacted("/inbox")
            try expectEqual(try await subject.store.hasHeldMetadataFile(inFolder: folder), false, "a new folder")
            for second in 1...2 {
                try await subject.store.noteMetadataFile(inFolder: folder, now: .second(Int64(second)))
            }
            let another = try await subject.another()
            try expectEqual(try await another.hasHeldMetadataFile(inFolder: folder), true, "the folder")
            try expectEqual(try await another.hasHeldMetadataFile(inFolder: Redacted("/in")), false, "another folder")
        },
        Case("a late word gives a card in no delivery another number, and what else it says") { subject in
            let card = try await subject.verified(try Sample(1, file: .sample()))
            let old = card.metadata.businessNumber
            let said = CardMetadata(businessNumber: try .sample("RIGHT"), expectedName: Redacted("张三"))
            let amended = try await subject.amend(under: old, with: said)
            guard case .applied(let renumbered) = amended else {
                throw ConformanceFailure(message: "it is not applied but \(amended)", location: "amend")
            }
            try expectEqual(renumbered.id, card.id, "the card")
            try expectEqual(renumbered.metadata.businessNumber, said.businessNumber, "its number")
            try expectEqual(renumbered.metadata.expectedName, said.expectedName, "the name that is expected")
            try expectEqual(renumbered.state, .prepared, "its state: it is judged again")
            try expectEqual(try await subject.store.snapshot(of: old).cards, [], "the cards of its former number")
            let known = try await subject.store.card(ofFile: .sample(), businessNumber: said.businessNumber)
            try expectEqual(known, renumbered, "the card of the file")
            let formerly = try await subject.store.card(ofFile: .sample(), businessNumber: old)
            try expectEqual(formerly, nil, "the card of the file under the former number")
        },
        Case("a late word of the same number is taken over as a newer sending is") { subject in
            let card = try await subject.admit(try Sample(1, file: .sample()).admission)
            let number = card.metadata.businessNumber
            let said = CardMetadata(businessNumber: number, expectedName: Redacted("张三"))
            let amended = try await subject.amend(under: number, with: said)
            try expectEqual(amended, .applied(try await subject.card(card.id)), "what came of it")
            try expectEqual(try await subject.card(card.id).metadata.expectedName, said.expectedName, "the name")
            let again = try await subject.amend(under: number, with: said)
            try expectEqual(again, .uncertain(card.id), "a second word")
        },
        Case("a late word changes no card that is in a delivery, worked on, unknown or one of several") { subject in
            let said = CardMetadata(businessNumber: try .sample("RIGHT"))
            let delivery = try await subject.delivering(try Sample(1, file: .sample()))
            let card = try await subject.card(delivery.members[0])
            let number = card.metadata.businessNumber
            try expectEqual(try await subject.amend(under: number, with: said), .tooLate(card), "one in a delivery")
            try expectEqual(
                try await subject.amend(.only(at: Redacted("/inbox/other.jpg")), under: number, with: said),
                .unknown,
                "a photo that was never taken in"
            )
            let path = "/inbox/second.jpg"
            let photo = TakenPhoto.only(at: Redacted(path))
            let busy = try await subject.admit(try Sample(2, file: .sample(path: path)).admission)
            try await subject.claimOnly(busy.id)
            let itsNumber = busy.metadata.businessNumber
            try expectEqual(
                try await subject.amend(photo, under: itsNumber, with: said),
                .busy(busy.id),
                "a leased one"
            )
            try await subject.store.releaseLeases()
            let newer = try await subject.admit(try Sample(3, file: .sample(path: path, size: 2000)).admission)
            try expectEqual(newer.metadata.businessNumber, itsNumber, "the number of the newer photo")
            try expectEqual(
                try await subject.amend(photo, under: itsNumber, with: said),
                .uncertain(newer.id),
                "the newer of two photos"
            )
            try expectEqual(
                try await subject.amend(.file(.sample(path: path)), under: itsNumber, with: said),
                .unknown,
                "the older of two photos"
            )
            for unchanged in [card.id, busy.id, newer.id] {
                let number = try await subject.card(unchanged).metadata.businessNumber
                try expect(number != said.businessNumber, "it keeps its number")
            }
            let certain = try await subject.amend(.last(at: photo.path), under: itsNumber, with: said)
            try expectEqual(certain, .applied(try await subject.card(newer.id)), "the newer of two, for certain")
        },
        Case("where the right number has the same bytes, that card takes the word over and the other is superseded") {
            subject in
            let wrong = try await subject.admit(try Sample(1, bytes: "same", file: .sample()).admission)
            var twin = try Sample(2, bytes: "same").admission
            twin.metadata = CardMetadata(businessNumber: try .sample("RIGHT"))
            let right = try await subject.admit(twin)
            let said = CardMetadata(businessNumber: try .sample("RIGHT"), side: .front)
            let amended = try await subject.amend(under: wrong.metadata.businessNumber, with: said)
            try expectEqual(amended, .applied(try await subject.card(right.id)), "what came of it")
            try expectEqual(try await subject.card(right.id).metadata.side, .front, "the side")
            try expectEqual(try await subject.card(wrong.id).state, .superseded, "the state of the other")
        },
    ]
}

extension StoreSubject {
    fileprivate func amend(
        _ photo: TakenPhoto = .only(at: FileIdentity.sample().path),
        under number: BusinessNumber,
        with metadata: CardMetadata
    ) async throws -> Amendment {
        try await self.store.amend(photo, under: number, with: metadata, now: .second(9))
    }
}

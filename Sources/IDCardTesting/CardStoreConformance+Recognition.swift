import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let recognition: [Case] = [
        Case("a file is known by its path, inode, size and time, under its business number") { subject in
            let card = try await subject.admit(try Sample(1, file: .sample()).admission)
            let number = card.metadata.businessNumber
            try expectEqual(
                try await subject.store.card(ofFile: .sample(), businessNumber: number),
                card,
                "the card of the file"
            )
            let changed: [FileIdentity] = [
                .sample(path: "/inbox/other.jpg"), .sample(inode: 8), .sample(size: 1001), .sample(modified: 1),
            ]
            for file in changed {
                let found = try await subject.store.card(ofFile: file, businessNumber: number)
                try expectEqual(found, nil, "the card of a changed file")
            }
            let stranger = try await subject.store.card(ofFile: .sample(), businessNumber: .sample("CASE-2"))
            try expectEqual(stranger, nil, "the card under another business number")
        },
        Case("a file that was overwritten is known as its new card") { subject in
            try await subject.admit(try Sample(1, file: .sample()).admission)
            let newer = try await subject.admit(try Sample(2, file: .sample(size: 2000)).admission)
            let number = newer.metadata.businessNumber
            let old = try await subject.store.card(ofFile: .sample(), businessNumber: number)
            let new = try await subject.store.card(ofFile: .sample(size: 2000), businessNumber: number)
            try expectEqual([old, new], [nil, newer], "the cards of the file, before and after")
        },
        Case("recognised bytes give their card and remember the file") { subject in
            let sample = try Sample(1, bytes: "same")
            let card = try await subject.admit(sample.admission)
            let copy = FileIdentity.sample(path: "/inbox/copy.jpg")
            let found = try await subject.store.recognise(
                .sample("same"),
                metadata: sample.admission.metadata,
                file: copy,
                now: .second(1)
            )
            try expectEqual(found, card, "the recognised card")
            let number = card.metadata.businessNumber
            try expectEqual(
                try await subject.store.card(ofFile: copy, businessNumber: number),
                card,
                "the card of the copy"
            )
        },
        Case("a duplicate admission remembers its file") { subject in
            let card = try await subject.admit(try Sample(1, bytes: "same").admission)
            var copy = try Sample(2, bytes: "same", file: .sample()).admission
            copy.metadata = card.metadata
            _ = try await subject.store.admit(copy, now: .second(1))
            let found = try await subject.store.card(ofFile: .sample(), businessNumber: card.metadata.businessNumber)
            try expectEqual(found, card, "the card of the second file")
        },
        Case("unknown bytes are not recognised and leave nothing behind") { subject in
            let metadata = try Sample(1).admission.metadata
            let found = try await subject.store.recognise(
                .sample("new"),
                metadata: metadata,
                file: .sample(),
                now: .second(1)
            )
            try expectEqual(found, nil, "the recognised card")
            let known = try await subject.store.card(ofFile: .sample(), businessNumber: metadata.businessNumber)
            try expectEqual(known, nil, "the card of the file")
        },
    ]
}

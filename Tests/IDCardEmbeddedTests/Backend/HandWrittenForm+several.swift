extension HandWrittenForm {
    /// One document of a form with several.
    struct Document {
        var number = "B-1"
        var isFront = true
        var image = HandWrittenForm.jpeg
    }

    /// A JPEG of its own for each number.
    static func image(_ number: UInt8) -> [UInt8] { [0xFF, 0xD8, 0xFF, 0xE1, number, 0xFF, 0xD9] }

    /// A form of layout `application`.
    static func application(_ documents: [Document], token: String = "token-1") -> HandWrittenForm {
        var form = HandWrittenForm(parts: [
            .text("TOKEN", token), .text("USERNO", "user-1"), .text("BUSINESSTYPE", "LOAN_APPLY"),
            .text("BUSINESSNO", documents.first?.number ?? ""),
        ])
        for document in documents { form.parts += Self.file(document) }
        return form
    }

    /// A form of layout `batch`.
    static func batch(_ documents: [Document], token: String = "token-1") -> HandWrittenForm {
        var form = HandWrittenForm(parts: [.text("TOKEN", token), .text("USERNO", "user-1")])
        for document in documents {
            form.parts += [.text("BUSINESSTYPE", "LOAN_APPLY"), .text("BUSINESSNO", document.number)]
            form.parts += Self.file(document)
        }
        return form
    }

    private static func file(_ document: Document) -> [Part] {
        [
            .text("DOCTYPE", document.isFront ? "IDCARD_FRONT_APP" : "IDCARD_BACK_APP"),
            Part(
                name: "FILE",
                filename: document.isFront ? "IDFrontImage.jpg" : "IDBackImage.jpg",
                type: "image/jpeg",
                body: document.image
            ),
        ]
    }
}

import CardModel
import CardStore

/// One card on a page: of what is personal it says only whether it is there and as it was expected, unless it was revealed.
struct CardView {
    let details: CardDetails
    private let revealed: RevealedCard?
    private let document: CardDetailsDocument
    /// Where a form that reveals leads back to, and the purpose of the sitting; `nil` if the visitor may reveal nothing.
    var reveal: (purpose: String, tab: String?)?
    /// The tab whose sitting this is part of.
    var tab: String?
    /// Whether the visitor may decide.
    var mayDecide = false
    /// Whether keys press the buttons of this card, and not those of another one of the page.
    var hasKeys = true
    /// What the person has written, if the page is shown again.
    var typed: String?

    init(_ details: CardDetails, revealed: RevealedCard? = nil) {
        self.details = details
        self.revealed = revealed
        self.document = CardDetailsDocument(details, reveals: false)
    }

    var body: HTML {
        """
        \(self.summary)
        \(HTML.section(.pageImage, self.image))
        \(HTML.section(.pageFields, self.fields))
        \(self.actions)
        \(HTML.section(.pageTimeline, self.timeline))
        \(self.others)
        """
    }

    /// The card within a case that is reviewed.
    var reviewed: HTML {
        let card = self.document.card
        let focus: HTML = self.hasKeys ? " data-focus tabindex=\"-1\"" : ""
        return """
            <article><h2\(focus)>\(HTML.side(card.side)) · \(HTML.caseLink(card.businessNo)) <a\(href: .card(card.cardID))>\(Message.pageTimeline)</a></h2>
            \(HTML.facts(self.why))\(self.message)\(self.image)\(self.fields)\(self.actions)</article>

            """
    }

    /// Why it stands where it stands, and whose it is.
    private var why: [(Message, HTML)] {
        let card = self.document.card
        let owner = self.document.numberOwner.map { (Message.pageNumberOwner, HTML("\($0.submitter)")) }
        let facts: [(Message, HTML)?] = [
            (.pageStateTitle, .state(card.state)), card.reason.map { (.pageReason, .reason($0)) },
            (.pageSubmitter, "\(self.document.submitter)"), owner,
            self.document.person.map { (.pagePersonTitle, "\(Message.pagePerson($0))") },
        ]
        return facts.compactMap(\.self)
    }

    private var message: HTML? {
        self.revealed?.message ?? self.document.message.map { HTML("<p class=\"message\">\($0)</p>") }
    }

    private var summary: HTML {
        let card = self.document.card
        let facts: [(Message, HTML)?] = [
            (.pageSent, .time(card.createdAt)), (.pageAttempts, "\(self.document.attempts)"),
            self.document.nextAttemptAt.map { (.pageNextAttempt, .time($0)) },
            self.document.idempotencyKey.map { (.pageDeliveryKey, "<code>\($0)</code>") },
            (.pageCard, "<code>\(card.cardID.rawValue)</code>"),
        ]
        let place: [(Message, HTML)] = [
            (.pageBusinessNo, .caseLink(card.businessNo)), (.pageSideTitle, .side(card.side)),
        ]
        return "\(HTML.facts(place + self.why + facts.compactMap(\.self)))\(self.message)"
    }

    var image: HTML {
        if let revealed = self.revealed { return revealed.image ?? self.hiddenImage }
        // Of a case that is reviewed, one form shows all cards.
        return "\(self.hiddenImage)\(self.tab == nil || self.hasKeys ? self.revealForm : nil)"
    }

    private var hiddenImage: HTML {
        if let dropped = self.document.imageDroppedAt {
            return "<p>\(Message.pageImageDropped) \(HTML.time(dropped))</p>"
        }
        guard let bytes = self.document.imageBytes else { return "<p>\(Message.pageNoImage)</p>" }
        return "<div class=\"hidden-image\"><p>\(Message.pageImageHidden(bytes))</p></div>"
    }

    /// Asks for the purpose: what is shown is noted with it.
    private var revealForm: HTML? {
        guard let reveal = self.reveal else { return nil }
        let tab = reveal.tab.map { HTML("<input type=\"hidden\" name=\"tab\"\(value: $0)>") }
        return """
            <form method="post" class="act"\(action: .reveal(self.details.card.id))>\(tab)
            <label>\(Message.pagePurpose)<input name="purpose" required maxlength="\(Limits.purposeCharacters)"\(value: reveal.purpose)></label>
            <button data-key="KeyV">\(Message.pageReveal) <kbd>V</kbd></button></form>
            """
    }

    /// Each field that was read: there or missing, and as expected or not.
    var fields: HTML {
        if let revealed = self.revealed { return revealed.fields }
        guard let read = self.details.reading?.fields else { return "<p>\(Message.pageNotRead)</p>" }
        let expected = self.details.card.metadata
        let isBack = self.document.card.side == .back
        let names: [(Message, Redacted<String>?, Redacted<String>?)] =
            isBack
            ? [(.pageIssuer, read.issuer, nil), (.pageValidity, read.validity, nil)]
            : [
                (.pageName, read.name, expected.expectedName), (.pageNumber, read.number, expected.expectedIDNumber),
                (.pageGender, read.gender, nil), (.pageEthnicity, read.ethnicity, nil),
                (.pageBirthDate, read.birthDate, nil), (.pageAddress, read.address, nil),
            ]
        return .facts(names.map { ($0.0, "\(Self.standing($0.1, expected: $0.2))") })
    }

    private static func standing(_ read: Redacted<String>?, expected: Redacted<String>?) -> Message {
        guard let read else { return .pageFieldMissing }
        guard let expected else { return .pageFieldPresent }
        return read == expected ? .pageFieldEqual : .pageFieldDiffers
    }

    /// What happened to it, oldest first, with the calls and the decisions in between.
    var timeline: HTML {
        let lines = self.document.events.map { event in
            let code = event.code.map { HTML(" <code>\($0)</code>") }
            let who = event.actor.map { HTML(" <span class=\"who\">\($0)</span> \(event.why ?? "")") }
            let words = event.kind == "warning" ? event.message.map { HTML(" \($0)") } : nil
            return HTML("<li>\(HTML.time(event.at)) <strong>\(event.kind)</strong>\(code)\(who)\(words)</li>\n")
        }
        return "<ol class=\"timeline\">\(lines)</ol>"
    }

    var others: HTML {
        guard !self.document.caseCards.isEmpty else { return "" }
        return .section(.pageOtherCards, Console.table(of: self.document.caseCards))
    }
}

extension HTML {
    /// A moment as documents have it (UTC, ISO 8601), shown in the zone of this machine.
    static func time(_ text: String) -> HTML { "<time datetime=\"\(text)\">\(text.asLocalTime)</time>" }
}

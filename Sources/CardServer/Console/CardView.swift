import CardModel
import CardStore
import Foundation

/// One card on a page: for a personal value only whether it is there and as expected, unless it was revealed.
struct CardView {
    let details: CardDetails
    /// The tab in which the card is reviewed.
    let tab: String?
    let visit: ConsoleRequest
    /// Whether keys press the buttons of this card: they do for one card of a page.
    var hasKeys = true
    /// The text that the person has written, if the page is shown again.
    var typed: String?

    init(_ details: CardDetails, for visit: ConsoleRequest, tab: String? = nil) {
        (self.details, self.tab, self.visit) = (details, tab, visit)
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
        let card = self.details.card
        let focus: HTML = self.hasKeys ? " data-focus tabindex=\"-1\"" : ""
        return """
            <article><h2\(focus)>\(HTML.side(card.anySide)) · \(HTML.caseLink(card.metadata.businessNumber)) <a\(href: .card(card.id))>\(Message.pageTimeline)</a></h2>
            \(HTML.facts(self.why))\(self.inWords)\(self.image)\(self.fields)\(self.actions)</article>

            """
    }

    /// The state of the card with its reason, and its submitter.
    private var why: [(Message, HTML?)] {
        let card = self.details.card
        return [
            (.pageStateTitle, .state(card.state)), (.pageReason, card.shownReason.map(HTML.reason)),
            (.pageSubmitter, "\(card.submitter)"),
            (.pageNumberOwner, self.details.numberOwner.map { "\($0.submitter)" }),
            (.pagePersonTitle, self.details.person.map { "\(Message.pagePerson($0))" }),
        ]
    }

    /// Collapsed: the text names commands, where the page has buttons.
    private var inWords: HTML? {
        self.message.map { "<details><summary>\(Message.pageInWords)</summary>\($0)</details>" }
    }

    private var message: HTML? {
        guard self.details.isRevealed else { return self.details.message.map(HTML.message) }
        return self.details.message.map { HTML("<p class=\"message\" data-revealed>\($0.text())</p>") }
    }

    private var summary: HTML {
        let (details, card) = (self.details, self.details.card)
        let caseAndSide: [(Message, HTML?)] = [
            (.pageBusinessNo, .caseLink(card.metadata.businessNumber)), (.pageSideTitle, .side(card.anySide)),
        ]
        let failures = details.events.count { ![nil, .accepted].contains($0.failureClass) }
        let facts: [(Message, HTML?)] = [
            (.pageSent, "\(card.createdAt)"), (.pageAttempts, "\(failures)"),
            (.pageNextAttempt, details.nextAttemptAt.map { "\($0)" }),
            (.pageDeliveryKey, details.idempotencyKey.map { "<code>\($0)</code>" }),
            (.pageCard, "<code>\(card.id.rawValue)</code>"),
        ]
        return "\(HTML.facts(caseAndSide + self.why + facts))\(self.message)"
    }

    private var image: HTML {
        if self.details.isRevealed { return self.revealedImage ?? self.hiddenImage }
        // In a review, one form reveals all cards of the case.
        return "\(self.hiddenImage)\(self.tab == nil || self.hasKeys ? self.revealForm : nil)"
    }

    /// The image as bytes of the answer itself: no address serves it again.
    private var revealedImage: HTML? {
        guard let image = self.details.image else { return nil }
        let base64 = HTML(markup: image.base64EncodedString())
        return """
            <img data-revealed class="photo" alt="\(Message.pageImage)" src="data:\(self.details.imageType);base64,\(base64)">
            """
    }

    private var hiddenImage: HTML {
        if let dropped = self.details.imageDroppedAt { return "<p>\(Message.pageImageDropped) \(dropped)</p>" }
        guard let bytes = self.details.imageBytes else { return "<p>\(Message.pageNoImage)</p>" }
        return "<div class=\"hidden-image\"><p>\(Message.pageImageHidden(bytes))</p></div>"
    }

    /// Asks for the purpose, which the access log records with the reveal.
    private var revealForm: HTML? {
        guard self.visit.caller.may(.reveal, on: self.details.card.submitter) else { return nil }
        return """
            <form method="post" class="act"\(action: .reveal, of: self.details.card.id)>\(HTML.hidden("tab", self.tab))
            <label>\(Message.pagePurpose)<input name="purpose" required maxlength="\(Limits.purposeCharacters)"\(value: self.visit.session?.value.purpose ?? "")></label>
            <button data-key="KeyV">\(Message.pageReveal) <kbd>V</kbd></button></form>
            """
    }

    /// Each field that was read: there or missing, and as expected or not.
    private var fields: HTML {
        if self.details.isRevealed { return self.revealedFields }
        guard let read = self.details.reading?.fields else { return "<p>\(Message.pageNotRead)</p>" }
        let expected = self.details.card.metadata
        let isName = expected.expectedName.map { ExpectedHolder.hasName(read.name, $0) }
        let isNumber = expected.expectedIDNumber.map { ExpectedHolder.hasNumber(read.number, $0) ?? false }
        let front: [(Message, Redacted<String>?, Bool?)] = [
            (.pageName, read.name, isName), (.pageNumber, read.number, isNumber),
            (.pageGender, read.gender, nil), (.pageEthnicity, read.ethnicity, nil),
            (.pageBirthDate, read.birthDate, nil), (.pageAddress, read.address, nil),
        ]
        let back: [(Message, Redacted<String>?, Bool?)] = [
            (.pageIssuer, read.issuer, nil), (.pageValidity, read.validity, nil),
        ]
        return .facts(
            (self.details.card.anySide == .back ? back : front).map {
                ($0.0, "\(Self.comparison($0.1, isExpected: $0.2))")
            }
        )
    }

    /// The values that were read, beside the expected ones.
    private var revealedFields: HTML {
        let (read, said) = (self.details.reading?.fields, self.details.card.metadata)
        let values: [(Message, Redacted<String>?)] = [
            (.pageName, read?.name), (.pageExpectedName, said.expectedName), (.pageNumber, read?.number),
            (.pageExpectedNumber, said.expectedIDNumber), (.pageGender, read?.gender),
            (.pageEthnicity, read?.ethnicity), (.pageBirthDate, read?.birthDate), (.pageAddress, read?.address),
            (.pageIssuer, read?.issuer),
            (.pageValidity, read?.validity), (.pageUserNo, said.userNumber),
            (.pageBusinessNo, said.givenNumber), (.pageFile, self.details.submitted?.inputName.map(Redacted.init)),
        ]
        return "<div data-revealed>\(HTML.facts(values.map { ($0, $1.map { "\($0.reveal())" }) }))</div>"
    }

    private static func comparison(_ read: Redacted<String>?, isExpected: Bool?) -> Message {
        guard read != nil else { return .pageFieldMissing }
        guard let isExpected else { return .pageFieldPresent }
        return isExpected ? .pageFieldEqual : .pageFieldDiffers
    }

    /// The events of the card, oldest first, with the calls and decisions between them.
    private var timeline: HTML {
        let lines = self.details.events.map { event in
            let code = event.code.map { HTML(" <code>\($0)</code>") }
            let who = event.actor.map { HTML(" <span class=\"who\">\($0)</span> \(event.why ?? "")") }
            let text = event.kind == "warning" ? event.message.map { HTML(" \($0)") } : nil
            return HTML("<li>\(event.at) <strong>\(event.kind)</strong>\(code)\(who)\(text)</li>\n")
        }
        return "<ol class=\"timeline\">\(lines)</ol>"
    }

    private var others: HTML? {
        self.details.caseCards.isEmpty ? nil : .section(.pageOtherCards, .table(of: self.details.caseCards))
    }
}

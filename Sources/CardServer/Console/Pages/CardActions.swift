import CardModel
import CardStore

// What a person may do about a card: a button, or a closed part that opens and asks something first.
extension CardView {
    /// The order of the buttons.
    private static let order: [DecisionAction] = [
        .accept, .holder, .retake, .retry, .delivered, .resend, .anew, .reject,
    ]

    /// The possible actions, and why the others are not possible.
    var actions: HTML {
        guard self.visit.caller.may(.decide, on: self.details.card.submitter) else { return "" }
        let refused = self.details.proposal == nil ? DecisionAction.listed : []
        let reasons = refused.compactMap { action in
            self.details.actions[action].map { HTML("<li>\(Message.pageAction(action)): \($0.message)</li>") }
        }
        let erase = HTML("<li>\(Message.pageEraseByCommand(self.details.card.id))</li>")
        let why = HTML("<details><summary>\(Message.pageNotPossible)</summary><ul>\(reasons)\(erase)</ul></details>")
        let parts = self.details.proposal.map(self.ofProposal) ?? self.own
        // Words that can no longer be sent are not lost.
        let lost = self.typed.map { self.mayWrite ? HTML("") : Self.typedText($0) }
        return HTML.section(.pageWhatMayBeDone, "\(self.lookHint)\(parts)\(lost)\(why)")
    }

    private var person: Int? { self.details.person }

    private var possible: [ReviewAction] {
        Self.order.filter { self.details.actions[$0] == nil }
            .compactMap { ReviewAction($0, about: self.details.card, person: self.person) }
    }

    private var mayWrite: Bool { self.possible.contains { [.text, .confirmedText, .reason].contains($0.asks) } }

    private var own: [HTML] { self.possible.map { self.offer($0) } }

    /// What is to be done before some buttons work.
    private var lookHint: HTML? {
        self.possible.contains { self.isLocked($0) } ? "<p>\(Message.pageLookFirst)</p>" : nil
    }

    private func isLocked(_ one: ReviewAction) -> Bool {
        self.visit.mayReveal(self.details.card.submitter) && self.details.lacksLook(for: one.action)
    }

    /// A decision that waits for a second person: the first one may withdraw it, another one agrees or disagrees.
    private func ofProposal(_ proposal: Decision) -> [HTML] {
        let action = ReviewAction(proposal.action, about: self.details.card, person: self.person)
        guard let action else { return [] }
        let waits = HTML.message(.pageProposal(proposal.subject, action.label, proposal.until))
        guard proposal.subject != self.visit.caller.subject else {
            return [waits, self.form("withdraw", ["<button>\(Message.pageWithdraw)</button>"])]
        }
        let text = self.textArea(isRequired: true)
        let disagree = self.opening(
            .pageDisagree,
            "R",
            [self.form("disagree", [text, "<button>\(Message.pageDisagree)</button>"])]
        )
        return [waits, self.offer(action, agreeing: proposal), disagree]
    }

    // MARK: Parts

    private func offer(_ one: ReviewAction, agreeing proposal: Decision? = nil) -> HTML {
        let label = proposal == nil ? one.label : Message.pageAgree(one.label)
        let lock: HTML = self.isLocked(one) ? " disabled" : ""
        let style: HTML = one.action == .reject ? " class=\"bad\"" : ""
        func submit(_ key: Character?) -> HTML {
            "<button\(style)\(self.key(key))\(lock)>\(label)\(self.hint(key))</button>"
        }
        let code = one.action.rawValue
        // Who agrees to a return chooses no reason.
        if proposal != nil, one.asks == .nothing || one.asks == .reason {
            return self.form(code, ["\(HTML.hidden("reason", proposal?.reason?.rawValue))", submit("A")])
        }
        switch one.asks {
        case .nothing:
            let reason = HTML.hidden("reason", one.action == .retake ? RetakeReason.number.rawValue : nil)
            return self.form(code, ["\(reason)", submit(one.key)])
        case .confirmation: return self.opening(label, one.key, [self.form(code, [self.box(one.action), submit(nil)])])
        case .text, .confirmedText:
            let box = one.asks == .text ? nil : self.box(one.action)
            let effect = HTML.hidden("effect", String(self.details.effectOfReject.rawValue))
            return self.opening(
                label,
                one.key,
                [self.form(code, ["\(effect)\(box)", self.textArea(isRequired: true), submit(nil)])]
            )
        case .reason:
            return self.opening(
                label,
                one.key,
                [self.form(code, [self.textArea(isRequired: false), self.reasons(lock)])]
            )
        }
    }

    /// A button for each reason of a return; while they show, digits press them.
    private func reasons(_ lock: HTML) -> HTML {
        let buttons = RetakeReason.ofPhoto.enumerated().map { index, reason in
            let digit = Character("\((index + 1) % 10)")
            return HTML(
                """
                <li><button name="reason" value="\(reason.rawValue)"\(self.key(digit))\(lock)>\(Message.retake(reason))\(self.hint(digit))</button></li>
                """
            )
        }
        return "<ul class=\"reasons\">\(buttons)</ul>"
    }

    /// The person's word on what was checked.
    private func box(_ action: DecisionAction) -> HTML {
        let (card, number) = (self.details.card, self.details.card.metadata.businessNumber)
        let sentence: Message =
            switch action {
            case .delivered: .pageSureDelivered(number.rawValue, card.anySide)
            case .anew: .pageSureMissing(number.rawValue, card.anySide)
            case .resend: .pageSureResend
            case .reject: self.details.effectOfReject == .wholeCase ? .pageSureEnds : .pageSureAlone
            case .accept where card.reason == .businessNumberPersonal: .pageSureNumber
            default: .pageSureLooked
            }
        return "<label><input type=\"checkbox\" name=\"sure\" value=\"yes\" required> \(sentence)</label>"
    }

    private func textArea(isRequired: Bool) -> HTML {
        let required: HTML = isRequired ? " required" : ""
        return """
            <label>\(Message.pageWords)<textarea name="message" maxlength="500" rows="2"\(required)>\(self.typed ?? "")</textarea></label>
            """
    }

    private func opening(_ label: Message, _ key: Character?, _ content: [HTML]) -> HTML {
        "<details class=\"ask\"><summary\(self.key(key))>\(label)\(self.hint(key))</summary>\(content)</details>"
    }

    private func form(_ action: String, _ fields: [HTML]) -> HTML {
        """
        <form method="post" class="act"\(action: .decide, of: self.details.card.id)>\(HTML.hidden("tab", self.tab))
        \(HTML.hidden("action", action))<input type="hidden" name="seen" value="\(self.details.lastEvent)">\(fields)</form>
        """
    }

    static func typedText(_ text: String) -> HTML {
        "<label>\(Message.pageYourWords)<textarea readonly>\(text)</textarea></label>"
    }

    private func hint(_ key: Character?) -> HTML? {
        key.flatMap { self.hasKeys ? HTML(" <kbd>\(String($0))</kbd>") : nil }
    }

    private func key(_ key: Character?) -> HTML? {
        key.flatMap { self.hasKeys ? HTML(" data-key=\"\($0.isNumber ? "Digit" : "Key")\(String($0))\"") : nil }
    }
}

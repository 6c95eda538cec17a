import CardModel
import CardStore

// What pages are made of.
extension HTML {
    /// A table with a head; what is in it alone scrolls where the screen is narrow.
    static func table(_ head: [Message], _ rows: [[HTML]], caption: Message) -> HTML {
        let heads = head.map { HTML("<th scope=\"col\">\($0)</th>") }
        let lines = rows.map { cells in
            let data = zip(head, cells).dropFirst().map { HTML("<td data-label=\"\($0)\">\($1)</td>") }
            return HTML("<tr><th scope=\"row\">\(cells.first)</th>\(data)</tr>\n")
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(caption)"><table>\
            <caption class="quiet">\(caption)</caption><thead><tr>\(heads)</tr></thead>
            <tbody>\(lines)</tbody></table></div>
            """
    }

    /// A state as a word and by its code: its colour says nothing that they do not.
    static func state(_ state: CardState) -> HTML {
        "<span class=\"state \(state)\">\(Message.pageState(state))</span> <code>\(state)</code>"
    }

    static func state(_ state: CaseState) -> HTML {
        "<span class=\"state \(state)\">\(Message.pageState(state))</span> <code>\(state)</code>"
    }

    static func side(_ side: CardSide?) -> HTML {
        guard let side else { return "<span class=\"faint\">\(Message.pageSideUnknown)</span>" }
        return "\(Message.pageSide(side))"
    }

    /// A reason by its code, with what it means.
    static func reason(_ code: String?) -> HTML {
        guard let code else { return "" }
        let meaning = ReasonCode.all.first { $0.code.rawValue == code }?.meaning
        return "<code>\(code)</code>\(meaning.map { HTML(" <span class=\"faint\">\($0)</span>") })"
    }

    static func caseLink(_ number: String) -> HTML { "<a\(href: .oneCase(number))>\(number)</a>" }

    /// A card by the end of its id, as the command line takes it, too.
    static func cardLink(_ id: CardID) -> HTML {
        "<a\(href: .card(id))><code>…\(String(id.rawValue.suffix(8)))</code></a>"
    }

    /// A choice of words in a form of filters.
    static func choice(_ name: String, _ label: Message, _ options: [(value: String, text: Message)], chosen: String?)
        -> HTML
    {
        let lines = options.map { value, text in
            let mark: HTML = value == chosen ? " selected" : ""
            return HTML("<option\(value: value)\(mark)>\(text)</option>")
        }
        return
            "<label>\(label)<select name=\"\(name)\"><option value=\"\">\(Message.pageAny)</option>\(lines)</select></label>"
    }

    static func field(_ name: String, _ label: Message, _ value: String?) -> HTML {
        "<label>\(label)<input name=\"\(name)\"\(value: value ?? "") autocomplete=\"off\" spellcheck=\"false\"></label>"
    }

    /// A form of filters: it only looks.
    static func filters(_ path: ConsolePath, _ fields: [HTML]) -> HTML {
        """
        <form class="filters" method="get"\(action: path)>\(fields)<button>\(Message.pageApply)</button>
        <a\(href: path)>\(Message.pageClear)</a></form>
        """
    }

    /// Names and values, one under the other.
    static func facts(_ facts: [(Message, HTML)]) -> HTML {
        "<dl class=\"facts\">\(facts.map { HTML("<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>") })</dl>"
    }

    static func section(_ title: Message, _ body: HTML) -> HTML { "<section><h2>\(title)</h2>\(body)</section>\n" }
}

// What the codes of the pipeline are called on pages.
extension Message {
    static func pageSide(_ side: CardSide) -> Self {
        switch side {
        case .front: .pageFront
        case .back: .pageBack
        }
    }

    static func pageAction(_ action: DecisionAction) -> Self {
        switch action {
        case .accept: .pageAccept
        case .delivered: .pageMarkDelivered
        case .resend: .pageResend
        case .reject: .pageReject
        case .retry: .pageRetry
        case .erase: .pageErase
        }
    }

    static func pageSpan(_ span: FigureSpan) -> Self {
        switch span {
        case .hour: .pageHour
        case .day: .pageDay
        case .week: .pageWeek
        }
    }

    static func pageStage(_ stage: Stage) -> Self {
        switch stage {
        case .fetch: .pageFetch
        case .prepare: .pagePrepare
        case .verify: .pageVerify
        case .deliver: .pageDeliver
        }
    }

    static func pageState(_ state: CaseState) -> Self {
        switch state {
        case .decide: .pageCaseDecide
        case .failed: .pageCaseFailed
        case .retake: .pageCaseRetake
        case .inProgress: .pageCaseInProgress
        case .incomplete: .pageCaseIncomplete
        case .complete: .pageCaseComplete
        }
    }

    static func pageState(_ state: CardState) -> Self {
        switch state {
        case .fetching: .pageCardFetching
        case .received: .pageCardReceived
        case .prepared: .pageCardPrepared
        case .verified: .pageCardVerified
        case .delivering: .pageCardDelivering
        case .delivered: .pageCardDelivered
        case .rejected: .pageCardRejected
        case .failed: .pageCardFailed
        case .held: .pageCardHeld
        case .superseded: .pageCardSuperseded
        case .erased: .pageCardErased
        }
    }
}

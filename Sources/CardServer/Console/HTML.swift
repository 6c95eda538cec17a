import CardModel

/// A piece of a page. Literals are markup; interpolated text is escaped; interpolated pieces are not.
///
///     let row: HTML = "<tr><td>\(card.id)</td><td>\(card.state)</td></tr>"
///
/// No interpolation accepts `Redacted`: a page that shows a personal value by mistake does not compile.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    private(set) var markup: String

    init(stringLiteral markup: String) { self.markup = markup }

    init(stringInterpolation: StringInterpolation) { self.markup = stringInterpolation.markup }

    /// Uses markup unescaped: for markup that is made elsewhere in this module, such as the style sheet.
    init(markup: String) { self.markup = markup }

    /// Joins pieces with a separator.
    static func joined(_ pieces: [HTML], by separator: HTML = "") -> HTML {
        HTML(markup: pieces.map(\.markup).joined(separator: separator.markup))
    }

    /// Escapes the five characters with a meaning in text or in a quoted attribute (HTML standard, section 13.3).
    static func escaped(_ text: some StringProtocol) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            // Submitted text must not change the direction of the text around it.
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{200E}", "\u{200F}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate(set) var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            self.markup.reserveCapacity(literalCapacity + 32 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { self.markup += literal }

        mutating func appendInterpolation(_ piece: HTML?) { self.markup += piece?.markup ?? "" }

        mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { self.markup += piece.markup } }

        mutating func appendInterpolation(_ text: String) { self.markup += HTML.escaped(text) }

        mutating func appendInterpolation(_ number: some BinaryInteger) { self.markup += String(number) }

        mutating func appendInterpolation(_ word: some RawRepresentable<String>) {
            self.markup += HTML.escaped(word.rawValue)
        }

        /// The time in the zone of this machine, as all parts of the program show it to people.
        mutating func appendInterpolation(_ time: Timestamp) {
            self.markup += "<time datetime=\"\(time.description)\">\(time.local)</time>"
        }

        /// The text in the language of the reader, without its personal values.
        mutating func appendInterpolation(_ message: Message) {
            self.markup += HTML.escaped(message.withoutPersonalValues.text())
        }
    }
}

// Building blocks of pages.
extension HTML {
    /// A table with a cell of each column for each row; on a narrow screen only the table scrolls.
    ///
    /// - Parameter none: shown in place of the table if there are no rows.
    static func table<Row>(
        _ rows: some Collection<Row>,
        _ caption: Message,
        none: Message? = nil,
        _ columns: [(title: Message, cell: (Row) -> HTML)]
    ) -> HTML {
        if let none, rows.isEmpty { return "<p>\(none)</p>" }
        let heads = columns.map { HTML("<th scope=\"col\">\($0.title)</th>") }
        let lines = rows.map { row in
            let data = columns.dropFirst().map { HTML("<td data-label=\"\($0.title)\">\($0.cell(row))</td>") }
            return HTML("<tr><th scope=\"row\">\(columns.first?.cell(row))</th>\(data)</tr>\n")
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(caption)"><table>\
            <caption class="quiet">\(caption)</caption><thead><tr>\(heads)</tr></thead>
            <tbody>\(lines)</tbody></table></div>
            """
    }

    /// A state as a word and as a code: the colour adds nothing to them.
    static func state(_ state: CardState) -> HTML {
        "<span class=\"state \(state)\">\(Message.stateName(state))</span> <code>\(state)</code>"
    }

    static func state(_ state: CaseState) -> HTML {
        "<span class=\"state \(state)\">\(Message.stateName(state))</span> <code>\(state)</code>"
    }

    static func side(_ side: CardSide?) -> HTML {
        guard let side else { return "<span class=\"faint\">\(Message.pageSideUnknown)</span>" }
        return "\(Message.word(side))"
    }

    /// A reason as a code, with its meaning.
    static func reason(_ code: String?) -> HTML {
        guard let code else { return "" }
        let meaning = ReasonCode.all.first { $0.code.rawValue == code }?.meaning
        return "<code>\(code)</code>\(meaning.map { HTML(" <span class=\"faint\">\($0)</span>") })"
    }

    static func caseLink(_ number: BusinessNumber) -> HTML {
        "<a\(href: ConsolePath(.oneCase, [("no", number.rawValue)]))>\(number.rawValue)</a>"
    }

    /// A card by the end of its id, which the command line accepts, too.
    static func cardLink(_ id: CardID) -> HTML {
        "<a\(href: .card(id))><code>…\(String(id.rawValue.suffix(8)))</code></a>"
    }

    /// A field of a form of filters; a selection if it has options.
    typealias Filter = (name: String, label: Message, value: String?, options: [(value: String, text: Message)])

    /// A form of filters, sent by `GET`: it changes nothing.
    static func filters(_ route: ConsoleRoute, _ fields: [Filter]) -> HTML {
        """
        <form class="filters" method="get"\(action: route)>\(fields.map(self.field))<button>\(Message.pageApply)</button>
        <a\(href: ConsolePath(route))>\(Message.pageClear)</a></form>
        """
    }

    private static func field(_ field: Filter) -> HTML {
        let (name, value) = (field.name, field.value)
        guard !field.options.isEmpty else {
            return """
                <label>\(field.label)<input name="\(name)"\(value: value ?? "") autocomplete="off" spellcheck="false"></label>
                """
        }
        let lines = field.options.map { option, text in
            HTML("<option\(value: option)\(option == value ? " selected" : nil as HTML?)>\(text)</option>")
        }
        let any: HTML = "<option value=\"\">\(Message.pageAny)</option>"
        return "<label>\(field.label)<select name=\"\(name)\">\(any)\(lines)</select></label>"
    }

    /// Names and values, one under the other, without those that have no value.
    static func facts(_ facts: [(Message, HTML?)]) -> HTML {
        let lines = facts.map { title, value in value.map { HTML("<div><dt>\(title)</dt><dd>\($0)</dd></div>") } }
        return "<dl class=\"facts\">\(lines.compactMap(\.self))</dl>"
    }

    /// A hidden field of a form; nothing without a value.
    static func hidden(_ name: String, _ value: String?) -> HTML? {
        value.map { "<input type=\"hidden\" name=\"\(name)\"\(value: $0)>" }
    }

    /// The result of an act, done or refused: the script puts the focus there.
    static func outcome(_ text: Message) -> HTML { "<p class=\"outcome\" role=\"status\" tabindex=\"-1\">\(text)</p>" }

    static func message(_ text: Message) -> HTML { "<p class=\"message\">\(text)</p>" }

    static func section(_ title: Message, _ body: HTML) -> HTML { "<section><h2>\(title)</h2>\(body)</section>\n" }
}

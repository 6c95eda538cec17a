import CardModel
import HTTPTypes
import Hummingbird
import NIOCore

/// A page: its content, and the frame that every page has.
struct ConsolePage: Sendable {
    let title: Message
    let section: ConsoleRoute?
    let body: HTML
    /// The error of the page: sets its status and header fields, and is logged.
    var refusal: (problem: Problem, error: any Error)?
    /// The result of the last act, done or refused.
    var outcome: Message?
    /// When the browser moves on by itself, and to which page: also without a script.
    var refresh: (seconds: Int, path: ConsolePath)?
    /// The page that soon replaces a page with personal values; only such a page may hold images.
    var masked: ConsolePath?

    init(_ title: Message, in section: ConsoleRoute? = nil, outcome: Message? = nil, _ body: HTML) {
        (self.title, self.section, self.outcome, self.body) = (title, section, outcome, body)
    }

    /// A list with its filters, and a link behind its last row to the next page, with the same filters.
    init(
        list title: Message,
        _ route: ConsoleRoute,
        before: HTML = "",
        _ fields: [HTML.Filter],
        _ list: HTML,
        _ more: Message,
        _ last: (name: String, value: String?)?
    ) {
        let next = last.map { ConsolePath(route, fields.map { ($0.name, $0.value) } + [$0]) }
        let pager = next.map { HTML("<p class=\"pager\"><a rel=\"next\"\(href: $0)>\(more)</a></p>") }
        self.init(title, in: route, "\(before)\(HTML.filters(route, fields))\(list)\(pager)")
    }

    static func problem(_ problem: Problem, because error: any Error, requestID: String) -> ConsolePage {
        var page = ConsolePage(
            problem.code.title,
            """
            \(problem.detail.map { HTML("<p>\($0)</p>") })
            <p class="faint"><code>\(problem.code.name)</code> \(Message.pageRequestID) <code>\(requestID)</code></p>
            <p><a\(href: .overview())>\(Message.pageBackHome)</a></p>
            """
        )
        page.refusal = (problem, error)
        return page
    }

    func response(for visit: ConsoleRequest) -> Response {
        if let refusal { visit.context.record.update { $0.problem = (refusal.problem.code, refusal.error) } }
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8",
            .contentSecurityPolicy: """
            default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; \
            frame-ancestors 'none'; img-src 'self'\(self.masked == nil ? "" : " data:"); connect-src 'self'
            """,
            // Without it a browser sends `Origin: null` with a form (Fetch standard, "append a request Origin header").
            .referrerPolicy: "same-origin",
        ]
        if let refresh { headers[.refresh] = "\(refresh.seconds); url=\(refresh.path.text)" }
        for field in self.refusal?.problem.fields ?? [:] where field.name != .contentType {
            headers[field.name] = field.value
        }
        let markup = self.document(for: visit).markup
        let status = self.refusal?.problem.code.status ?? .ok
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: markup)))
    }

    private func document(for visit: ConsoleRequest) -> HTML {
        let keys: HTML = visit.session?.value.hasKeys == true ? " data-keys=\"on\"" : ""
        return """
            <!doctype html>
            <html lang="\(MessageCatalogue.current.language.tag)"\(keys) data-seconds="\(self.masked == nil ? 0 : Limits.revealedSeconds)">
            <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex"><title>\(self.title) · idcard-pipeline</title>
            <link rel="stylesheet"\(href: ConsoleAsset.styles.path)><link rel="icon"\(href: ConsoleAsset.icon.path)>
            <script defer src="\(ConsoleAsset.script.path.text)"></script>\(self.masking)</head>
            <body><a class="skip" href="#main">\(Message.pageSkip)</a>
            <header><strong>idcard-pipeline</strong>\(self.navigation(for: visit))\(self.settings(for: visit))</header>
            <main id="main">\(self.outcome.map(HTML.outcome))
            <h1>\(self.title)</h1>
            \(self.body)
            </main></body></html>

            """
    }

    /// Without a script, the browser leaves the page; with one, values are hidden in place, and text being written stays.
    private var masking: HTML? {
        self.masked.map { masked in
            let content = "\(Limits.revealedSeconds); url=\(masked.text)"
            return "<noscript><meta http-equiv=\"refresh\" content=\"\(content)\"></noscript>"
        }
    }

    private func navigation(for visit: ConsoleRequest) -> HTML {
        guard visit.session != nil else { return "" }
        let links = ConsoleRoute.sections.filter { $0.route.admits(visit.caller) }.map { route, title in
            let mark: HTML = route == self.section ? " aria-current=\"page\"" : ""
            return HTML("<a\(href: ConsolePath(route))\(mark)>\(title)</a>")
        }
        return "<nav aria-label=\"\(Message.pageNavigation)\">\(links)</nav>"
    }

    /// Language, keys and sign-out.
    private func settings(for visit: ConsoleRequest) -> HTML {
        guard let session = visit.session?.value else { return "" }
        let others = Language.allCases.filter { $0 != MessageCatalogue.current.language }.map { language in
            HTML(
                "<button name=\"language\" value=\"\(language.rawValue)\" lang=\"\(language.tag)\">\(language.name)</button>"
            )
        }
        let isSeenAgain = self.refusal == nil && visit.request.method == .get
        let back = ConsolePath(isSeenAgain ? visit.request.uri.string : "/console")
        return """
            <form class="settings" method="post"\(action: .settings)>
            <input type="hidden" name="back"\(value: back.text)>
            \(others)
            <button name="keys" value="\(session.hasKeys ? "off" : "on")">\
            \(session.hasKeys ? Message.pageKeysOff : .pageKeysOn)</button></form>
            <form method="post"\(action: .signOut)><span class="who">\(session.subject)</span>
            <button>\(Message.pageSignOut)</button></form>
            """
    }
}

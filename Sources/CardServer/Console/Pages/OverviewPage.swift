import CardModel
import CardStore
import Hummingbird

extension Console {
    /// What the overview shows, found out at one moment.
    struct Standing: Sendable {
        let causes: [CaseCount]
        let cards: [CardState: Int]
        let pauses: [EndpointPause]
        let lastSuccess: [Stage: Timestamp]
        let workers: [WorkerStatus]
        let troubles: [Trouble]
        let key: String
        let lastBackup: Timestamp?
    }

    /// `GET /console`.
    func overview(_ visit: Visit) async throws -> Reply {
        let query = try visit.query(["span", "live"])
        let isLive = try query.single("live") == "1"
        let spans: [FigureSpan] = try query.words("span", empty: true)
        let span = spans.first ?? .hour
        let now = self.ports.now()
        let store = self.ports.store
        let figures = try await self.figures[span]?.value(for: { .seconds(5) + $0 * Limits.figuresPause }) {
            try await store.throughput(span, now: now)
        }
        let standing = try await self.standing.value(for: { .seconds(1) + $0 * Limits.figuresPause }) {
            try await self.standing(at: now)
        }
        var page = ConsolePage(
            .pageOverview,
            in: .overview,
            """
            <p class="tools"><a\(href: .overview(span, isLive: !isLive))\
            >\(isLive ? Message.pageLiveOff : .pageLiveOn)</a> \(now)</p>
            \(Self.cases(standing.causes))\(Self.cards(standing.cards))\(figures.map { Self.charts($0, span, isLive: isLive) })
            \(self.machinery(standing, now: now))
            """
        )
        if isLive { page.refresh = (30, .overview(span, isLive: true)) }
        return .page(page)
    }

    private func standing(at now: Timestamp) async throws -> Standing {
        let store = self.ports.store
        let room = store.room(intakeFreeSpace: self.configuration.intakeFreeSpace)
        return Standing(
            causes: try await store.caseCounts(),
            cards: try await store.counts(),
            pauses: try await store.pauses(),
            lastSuccess: try await store.lastSuccess(now: now),
            workers: try await store.workers(),
            troubles: try await store.troubles(room, now: now),
            key: try await store.keyInUse(),
            lastBackup: try await store.lastBackup()
        )
    }

    private static func cases(_ causes: [CaseCount]) -> HTML {
        let counts = Dictionary(grouping: causes, by: \.state).mapValues { $0.map(\.cases).reduce(0, +) }
        let tiles = CaseState.allCases.map { state in
            let path = ConsolePath("/console/cases", [("state", state.rawValue)])
            return HTML(
                """
                <a class="tile \(state)"\(href: path)><strong>\(counts[state] ?? 0)</strong>\
                <span>\(Message.pageState(state))</span></a>
                """
            )
        }
        let rows = causes.filter(\.state.needsPerson).map { cause in
            let cards = ConsolePath("/console/cards", [("reason", cause.cause), ("attention", "any")])
            return [
                HTML("<a\(href: cards)><code>\(cause.cause ?? "-")</code></a>"), HTML("\(cause.cases)"),
                .state(cause.state), HTML("\(cause.since)"),
            ] as [HTML]
        }
        let heads: [Message] = [.pageCause, .pageCases, .pageStateTitle, .pageOldest]
        return .section(.pageCases, "<div class=\"tiles\">\(tiles)</div>")
            + (rows.isEmpty
                ? "<p>\(Message.pageNobodyNeeded)</p>"
                : .section(.pageNeedsPerson, .table(heads, rows, caption: .pageNeedsPerson)))
    }

    private static func cards(_ counts: [CardState: Int]) -> HTML {
        let tiles = CardState.allCases.filter { counts[$0] ?? 0 > 0 }.map { state in
            let path = ConsolePath("/console/cards", [("state", state.rawValue)])
            return HTML(
                "<a class=\"small tile \(state)\"\(href: path)><strong>\(counts[state] ?? 0)</strong><span>\(Message.pageState(state))</span></a>"
            )
        }
        return .section(
            .pageCards,
            tiles.isEmpty ? "<p>\(Message.pageNoCards)</p>" : "<div class=\"tiles\">\(tiles)</div>"
        )
    }

    private static func charts(_ figures: Throughput, _ span: FigureSpan, isLive: Bool) -> HTML {
        let spans = FigureSpan.allCases.map { one in
            let mark: HTML = one == span ? " aria-current=\"true\"" : ""
            return HTML("<a\(href: .overview(one, isLive: isLive))\(mark)>\(Message.pageSpan(one))</a>")
        }
        return .section(
            .pageOverTime,
            "<p class=\"spans\">\(spans)</p>\(Chart.throughput(figures).html)\(Chart.refusals(figures).html)"
        )
    }

    /// What pauses and why, who works, and what they work on.
    private func machinery(_ standing: Standing, now: Timestamp) -> HTML {
        let troubles = standing.troubles.filter { $0.subject != .cases }.map { trouble in
            HTML("<p class=\"trouble \(trouble.severity)\"><code>\(trouble.code)</code> \(trouble.message)</p>")
        }
        let endpoints: [[HTML]] = [Stage.verify, .deliver].map { stage in
            let pauses = standing.pauses.filter { $0.stage == stage }
            let state = pauses.map { HTML("<code>\($0.host)</code> \(Message.pageEndpointPauses(since: $0.since))") }
            let works: HTML = "\(standing.lastSuccess[stage] == nil ? Message.pageEndpointUnused : .pageEndpointWorks)"
            let last = standing.lastSuccess[stage].map { HTML("\($0)") }
            return ["\(Message.pageStage(stage))", pauses.isEmpty ? works : .joined(state, by: "<br>"), last ?? "–"]
        }
        let workers: [[HTML]] = standing.workers.map { worker in
            let hangs: HTML = worker.hangs(at: now) ? " <strong>\(Message.pageHangs)</strong>" : ""
            return [
                "\(worker.command)\(hangs)", "\(worker.process)", "\(worker.startedAt)", "\(worker.claims)",
                "\(worker.staying)",
            ]
        }
        let facts: [(Message, HTML)] = [
            (.pageFreeDisk, "\(Message.pageBytes(self.ports.store.freeBytes))"),
            (.pageKey, "<code>\(standing.key)</code>"),
            (.pageLastBackup, standing.lastBackup.map { "\($0)" } ?? "\(Message.pageNone)"),
        ]
        return .section(
            .pageEndpoints,
            "\(troubles)\(HTML.table([.pageStageTitle, .pageStateTitle, .pageLastSuccess], endpoints, caption: .pageEndpoints))"
        )
            + .section(
                .pageAtWork,
                (workers.isEmpty
                    ? "<p>\(Message.pageNoProcess)</p>"
                    : HTML.table(
                        [.pageCommand, .pageProcess, .pageSince, .pageClaims, .pageStaying],
                        workers,
                        caption: .pageAtWork
                    )) + .facts(facts)
            )
    }
}

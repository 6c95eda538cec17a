import CardModel
import CardStore

extension Console {
    /// The content of the overview, read at one moment.
    struct SandboxStatus: Sendable {
        let causes: [CaseCount]
        let cards: [CardState: Int]
        let pauses: [EndpointPause]
        let lastSuccess: [Stage: Timestamp]
        let workers: [WorkerStatus]
        /// Without cases, which are listed by cause.
        let issues: [HealthIssue]
        let key: String
        let lastBackup: Timestamp?
    }

    /// `GET /console`.
    func overview(_ visit: ConsoleRequest) async throws -> Reply {
        guard ConsoleRoute.overview.admits(visit.caller) else {
            guard let home = Self.home(of: visit.caller) else { throw Problem(.scopeMissing, .pageNoPage) }
            return .redirect(home)
        }
        let query = try visit.query(["span", "live"])
        let isLive = try query.single("live") == "1"
        let spans: [ThroughputSpan] = try query.choices("span")
        let span = spans.first ?? .hour
        let now = self.ports.now()
        let store = self.ports.store
        let throughput = try await self.throughput[span]?.value(for: { .seconds(5) + $0 * Limits.countsCacheFactor }) {
            try await store.listings.throughput(span, now: now)
        }
        let status = try await self.status.value(for: { .seconds(1) + $0 * Limits.countsCacheFactor }) {
            try await self.status(at: now)
        }
        var page = ConsolePage(
            .pageOverview,
            in: .overview,
            """
            <p class="tools"><a\(href: .overview(span, isLive: !isLive))\
            >\(isLive ? Message.pageLiveOff : .pageLiveOn)</a> \(now)</p>
            \(Self.cases(status.causes))\(Self.cards(status.cards))\(throughput.map { Self.charts($0, span, isLive: isLive) })
            \(self.machinery(status, now: now))
            """
        )
        if isLive { page.refresh = (30, .overview(span, isLive: true)) }
        return .page(page)
    }

    private func status(at now: Timestamp) async throws -> SandboxStatus {
        let store = self.ports.store
        return SandboxStatus(
            causes: try await store.listings.caseCounts(),
            cards: try await store.listings.counts(),
            pauses: try await store.endpoints.pauses(),
            lastSuccess: try await store.endpoints.lastSuccess(now: now),
            workers: try await store.upkeep.workers(),
            issues: try await store.listings.issues(self.intakeService.diskSpace, cases: [], now: now),
            key: try await store.upkeep.keyInUse(),
            lastBackup: try await store.listings.lastBackup()
        )
    }

    private static func tile(_ style: String, _ route: ConsoleRoute, _ state: String, _ name: Message, _ count: Int)
        -> HTML
    {
        let path = ConsolePath(route, [("state", state)])
        return "<a class=\"\(style) \(state)\"\(href: path)><strong>\(count)</strong><span>\(name)</span></a>"
    }

    private static func cases(_ causes: [CaseCount]) -> HTML {
        let counts = Dictionary(grouping: causes, by: \.state).mapValues { $0.map(\.cases).reduce(0, +) }
        let tiles = CaseState.allCases.map { state in
            Self.tile("tile", .cases, state.rawValue, .stateName(state), counts[state] ?? 0)
        }
        let needing = causes.filter(\.state.needsPerson)
        let columns: [(Message, (CaseCount) -> HTML)] = [
            (.pageCause, { .cause($0.cause) }), (.pageCases, { "\($0.cases)" }),
            (.pageStateTitle, { .state($0.state) }), (.pageOldest, { "\($0.since)" }),
        ]
        let table = HTML.table(needing, .pageNeedsPerson, none: .pageNobodyNeeded, columns)
        let cases = HTML.section(.pageCases, "<div class=\"tiles\">\(tiles)</div>")
        return "\(cases)\(needing.isEmpty ? table : .section(.pageNeedsPerson, table))"
    }

    private static func cards(_ counts: [CardState: Int]) -> HTML {
        let tiles = CardState.allCases.filter { counts[$0] ?? 0 > 0 }.map { state in
            Self.tile("small tile", .cards, state.rawValue, .stateName(state), counts[state] ?? 0)
        }
        let none: HTML = "<p>\(Message.pageNoCards)</p>"
        return .section(.pageCards, tiles.isEmpty ? none : "<div class=\"tiles\">\(tiles)</div>")
    }

    private static func charts(_ throughput: Throughput, _ span: ThroughputSpan, isLive: Bool) -> HTML {
        let spans = ThroughputSpan.allCases.map { one in
            let mark: HTML = one == span ? " aria-current=\"true\"" : ""
            return HTML("<a\(href: .overview(one, isLive: isLive))\(mark)>\(Message.pageSpan(one))</a>")
        }
        return .section(
            .pageOverTime,
            "<p class=\"spans\">\(spans)</p>\(Chart.throughput(throughput).html)\(Chart.refusals(throughput).html)"
        )
    }

    /// Paused endpoints and why, the workers, and the cards that they work on.
    private func machinery(_ status: SandboxStatus, now: Timestamp) -> HTML {
        let issues = status.issues.map { issue in
            HTML("<p class=\"trouble \(issue.severity)\"><code>\(issue.code)</code> \(issue.message)</p>")
        }
        let endpoints: [(Message, (Stage) -> HTML)] = [
            (.pageStageTitle, { "\(Message.word($0))" }), (.pageStateTitle, status.endpoint),
            (.pageLastSuccess, { status.lastSuccess[$0].map { "\($0)" } ?? "–" }),
        ]
        let workers: [(Message, (WorkerStatus) -> HTML)] = [
            (
                .pageCommand,
                { "\($0.command)\($0.hangs(at: now) ? " <strong>\(Message.pageHangs)</strong>" : nil as HTML?)" }
            ),
            (.pageProcess, { "\($0.process)" }), (.pageSince, { "\($0.startedAt)" }),
            (.pageClaims, { "\($0.claims)" }), (.pageStaying, { "\($0.staying)" }),
        ]
        let facts = HTML.facts([
            (.pageFreeDisk, "\(Message.pageBytes(self.ports.store.intake.freeBytes))"),
            (.pageKey, "<code>\(status.key)</code>"),
            (.pageLastBackup, status.lastBackup.map { "\($0)" } ?? "\(Message.pageNone)"),
        ])
        let atWork = HTML.table(status.workers, .pageAtWork, none: .pageNoProcess, workers)
        return """
            \(HTML.section(.pageEndpoints, "\(issues)\(HTML.table([.verify, .deliver], .pageEndpoints, endpoints))"))\
            \(HTML.section(.pageAtWork, "\(atWork)\(facts)"))
            """
    }
}

extension Console.SandboxStatus {
    /// Whether an endpoint accepts cards.
    fileprivate func endpoint(_ stage: Stage) -> HTML {
        let pauses = self.pauses.filter { $0.stage == stage }
        guard pauses.isEmpty else {
            let lines = pauses.map { HTML("<code>\($0.host)</code> \(Message.pageEndpointPauses(since: $0.since))") }
            return .joined(lines, by: "<br>")
        }
        return "\(self.lastSuccess[stage] == nil ? Message.pageEndpointUnused : .pageEndpointWorks)"
    }
}

extension HTML {
    /// A cause for which cases need a person, linked to the cards.
    fileprivate static func cause(_ cause: String?) -> HTML {
        let cards = ConsolePath(.cards, [("reason", cause), ("attention", "any")])
        return "<a\(href: cards)><code>\(cause ?? "-")</code></a>"
    }
}

import CardModel
import CardStore

extension Console {
    /// The text fields beside the photos, in the form for sending by hand.
    private static let intakeFields: [(SubmittedField, Message)] = [
        (.businessNumber, .pageBusinessNo), (.userNumber, .pageUserNo), (.expectedIDNumber, .pageExpectedNumber),
        (.expectedName, .pageExpectedName),
    ]

    /// `GET /console/intake`.
    func intakeForm(_ visit: ConsoleRequest) async throws -> Reply { .page(Self.intakePage(nil)) }

    private static func intakePage(_ outcome: HTML?) -> ConsolePage {
        let fields = self.intakeFields.map { field, title in
            let mark: HTML = field == .businessNumber ? " required" : ""
            return HTML(
                "<label>\(title)<input name=\"\(field.rawValue)\" autocomplete=\"off\" spellcheck=\"false\"\(mark)></label>"
            )
        }
        let files = CardSide.allCases.map { side in
            HTML(
                "<label>\(Message.word(side))<input type=\"file\" name=\"\(side)\" accept=\"image/jpeg,image/png\"></label>"
            )
        }
        return ConsolePage(
            .pageIntake,
            in: .intakeForm,
            """
            \(outcome)<p class="faint">\(Message.pageIntakeHint)</p>
            <form method="post" enctype="multipart/form-data" class="intake"\(action: .intake)>\(fields)\(files)
            <button class="main">\(Message.pageSend)</button></form>
            """
        )
    }

    /// `POST /console/intake`: the photos of one case by hand, with the checks of the API.
    func intake(_ visit: ConsoleRequest) async throws -> Reply {
        do {
            let outcomes = try await SubmissionRoute(intakeService: self.intakeService)
                .outcomes(of: visit.request, context: visit.context, caller: visit.caller, isByHand: true)
            let cards = try await self.ports.store.listings.cards(outcomes.map(\.card), for: .process)
            let maySee = visit.caller.has(AccessAction.show.scopes)
            let lines = zip(outcomes, cards).map { outcome, card in
                let text: Message = outcome.isDuplicate ? .pageKnownPhoto : .pageNewPhoto
                let link: HTML? = maySee ? .cardLink(card.id) : nil
                return HTML("<li>\(HTML.side(card.metadata.side)) \(link) \(text)</li>")
            }
            return .page(
                Self.intakePage("<div class=\"outcome\" role=\"status\" tabindex=\"-1\"><ul>\(lines)</ul></div>")
            )
        } catch {
            let problem = Problem(cause: error)
            let text: HTML = "<code>\(problem.code.name)</code> \(problem.detail ?? problem.code.title)"
            var page = Self.intakePage("<p class=\"outcome\" role=\"alert\" tabindex=\"-1\">\(text)</p>")
            page.refusal = (problem, error)
            return .page(page)
        }
    }
}

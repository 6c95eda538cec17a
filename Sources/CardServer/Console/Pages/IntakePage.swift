import CardModel
import CardStore
import Foundation
import HTTPTypes
import Hummingbird

extension Console {
    /// The words of the form by hand beside the photos.
    private static let intakeFields: [(SubmittedField, Message)] = [
        (.businessNumber, .pageBusinessNo), (.userNumber, .pageUserNo), (.expectedIDNumber, .pageExpectedNumber),
        (.expectedName, .pageExpectedName),
    ]

    /// `GET /console/intake`.
    func intakeForm(_ visit: Visit) async throws -> Reply { .page(Self.intakePage(nil)) }

    private static func intakePage(_ outcome: HTML?) -> ConsolePage {
        let fields = self.intakeFields.map { field, title in
            let mark: HTML = field == .businessNumber ? " required" : ""
            return HTML(
                "<label>\(title)<input name=\"\(field.rawValue)\" autocomplete=\"off\" spellcheck=\"false\"\(mark)></label>"
            )
        }
        let files = CardSide.allCases.map { side in
            HTML(
                "<label>\(Message.pageSide(side))<input type=\"file\" name=\"\(side)\" accept=\"image/jpeg,image/png\"></label>"
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
    func intake(_ visit: Visit) async throws -> Reply {
        let submission = SubmissionRoute(reception: self.reception)
        do {
            let outcomes = try await submission.outcomes(
                of: visit.request,
                context: visit.context,
                caller: visit.caller,
                isByHand: true
            )
            let cards = try await self.ports.store.cards(outcomes.map(\.card), for: .process)
            let lines = zip(outcomes, cards).map { outcome, card in
                HTML(
                    "<li>\(HTML.side(card.metadata.side)) \(visit.caller.has(AccessAction.show.scopes) ? .cardLink(card.id) : "") \(outcome.isDuplicate ? Message.pageKnownPhoto : .pageNewPhoto)</li>"
                )
            }
            let outcome: HTML = "<div class=\"outcome\" role=\"status\" tabindex=\"-1\"><ul>\(lines)</ul></div>"
            return .page(Self.intakePage(outcome))
        } catch {
            let problem = Problem(cause: error)
            visit.context.record.note { $0.problem = (problem.code, error) }
            var page = Self.intakePage(
                """
                <p class="outcome" role="alert" tabindex="-1"><code>\(problem.code.name)</code> \(problem.detail ?? problem.code.title)</p>
                """
            )
            page.status = problem.code.status
            var response = page.response(for: visit)
            response.add(problem)
            return .response(response)
        }
    }
}

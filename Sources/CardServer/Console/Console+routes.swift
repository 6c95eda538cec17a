import CardModel
import HTTPTypes
import Hummingbird

extension Console {
    /// Hangs every page on its route.
    func add(to router: Router<ServerContext>) {
        let pages = self
        let routes: [(ConsoleRoute, Handler)] = [
            (
                .home,
                { visit in
                    guard visit.request.headers[.accept]?.contains("text/html") == true else {
                        throw Problem(.notFound)
                    }
                    return .redirect(.overview)
                }
            ),
            (.styles, { _ in .response(ConsoleAsset.styles.response) }),
            (.script, { _ in .response(ConsoleAsset.script.response) }),
            (.icon, { _ in .response(ConsoleAsset.icon.response) }),
            (.signInForm, pages.signInForm), (.signIn, pages.signIn), (.signOut, pages.signOut),
            (.settings, pages.settings), (.overview, pages.overview), (.cases, pages.listCases),
            (.oneCase, pages.showCase), (.cards, pages.listCards), (.card, pages.showCard),
            (.reveal, pages.revealCard), (.intakeForm, pages.intakeForm), (.intake, pages.intake), (.log, pages.log),
            (.decide, pages.decide), (.review, pages.review), (.beginReview, pages.beginReview),
            (.nextCase, pages.nextCase), (.undoDecision, pages.undoDecision),
        ]
        for (route, handler) in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await pages.answer(route, request, context, handler)
            }
        }
    }

    /// Where somebody is led who may see pages, but not the one that comes first; `nil` if the token has none.
    static func home(of caller: Caller) -> ConsolePath? {
        ConsolePage.Section.allCases.first { caller.has($0.scopes) }?.path
    }
}

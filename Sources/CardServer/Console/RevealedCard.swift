import CardModel
import CardStore
import Foundation

/// What is personal of one card: shown by the answer to a reveal, whose line in the access log is durable by then, and by no other.
struct RevealedCard {
    let export: CardExport

    /// The image as bytes of the answer itself: there is no address at which it could be had again.
    var image: HTML? {
        guard let image = self.export.image else { return nil }
        let base64 = HTML(markup: image.base64EncodedString())
        return """
            <img data-revealed class="photo" alt="\(Message.pageImage)" src="data:\(self.export.imageType);base64,\(base64)">
            """
    }

    /// What was read, beside what was expected.
    var fields: HTML {
        let (read, said) = (self.export.details.reading?.fields, self.export.details.card.metadata)
        let values: [(Message, Redacted<String>?)] = [
            (.pageName, read?.name), (.pageExpectedName, said.expectedName), (.pageNumber, read?.number),
            (.pageExpectedNumber, said.expectedIDNumber), (.pageGender, read?.gender),
            (.pageEthnicity, read?.ethnicity),
            (.pageBirthDate, read?.birthDate), (.pageAddress, read?.address), (.pageIssuer, read?.issuer),
            (.pageValidity, read?.validity), (.pageUserNo, said.userNumber), (.pageFile, self.export.details.inputName),
        ]
        return "<div data-revealed>\(HTML.facts(values.map { ($0, $1.map { "\($0.reveal())" }) }))</div>"
    }

    /// Why it stands where it stands, with what remote sides and people said.
    var message: HTML? {
        self.export.details.card.message.map { HTML("<p class=\"message\" data-revealed>\($0.text())</p>") }
    }
}

package import IDCardCore

/// Turns cards into the parts of a form, in order.
package struct DeliveryLayout: Hashable, Sendable {
    /// The layouts by the names of `delivery.layout`.
    package enum Kind: String, CaseIterable, Sendable, Codable {
        /// One card per request.
        case single
        /// Front and back of one business number in one request.
        case application
        /// Several cards of one user account in one request.
        case batch
    }

    /// Which layout this is.
    package let kind: Kind
    private let names: FormNames
    private let userNumber: Redacted<String>?

    /// Chooses a layout.
    ///
    /// - Parameters:
    ///   - kind: which.
    ///   - names: the names and constants of the form.
    ///   - userNumber: the account of cards that name none (`delivery.user_no`).
    /// - Throws: ``DeliveryError`` with the code `unsupported_layout`.
    package init(
        _ kind: Kind = .single,
        names: FormNames = FormNames(),
        userNumber: Redacted<String>? = nil
    ) throws(DeliveryError) {
        guard kind == .single else {
            throw DeliveryError(
                .unsupportedLayout,
                "delivery.layout \(kind.rawValue) is not built in yet; use single"
            )
        }
        self.kind = kind
        self.names = names
        self.userNumber = userNumber
    }

    /// How many cards one delivery holds at most.
    package var maximumMembers: Int { 1 }

    /// Forms the parts of one delivery, as they are persisted before the first attempt.
    ///
    /// - Parameters:
    ///   - members: the cards in order.
    ///   - token: the TOKEN of this delivery.
    /// - Throws: ``DeliveryError``: `member_count` or `user_no_missing`.
    package func parts(
        for members: [DeliveryMember],
        token: Redacted<String>
    ) throws(DeliveryError) -> [DeliveryPart] {
        guard let member = members.first, members.count == 1 else {
            throw DeliveryError(.memberCount, "the layout single holds one card, not \(members.count)")
        }
        guard
            let userNumber = [member.userNumber, self.userNumber].compactMap({ $0?.reveal() }).first(where: {
                !$0.isEmpty
            })
        else {
            throw DeliveryError(
                .userNumberMissing,
                "no user number: give user_no in the manifest or sidecar, --user-no, or set delivery.user_no"
            )
        }
        let isFront = member.side == .front
        return [
            .text(token.reveal(), name: self.names.token),
            .text(userNumber, name: self.names.userNumber),
            .text(self.names.businessTypeValue, name: self.names.businessType),
            .text(member.businessNumber.rawValue, name: self.names.businessNumber),
            .text(
                isFront ? self.names.frontDocumentType : self.names.backDocumentType,
                name: self.names.documentType
            ),
            .image(
                of: member.card,
                name: self.names.file,
                filename: isFront ? self.names.frontFilename : self.names.backFilename,
                contentType: self.names.contentType
            ),
        ]
    }
}

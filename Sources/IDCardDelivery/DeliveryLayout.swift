package import IDCardCore

/// Turns cards into the parts of a form, in order.
///
/// | layout | parts |
/// |---|---|
/// | `single` | TOKEN, USERNO, BUSINESSTYPE, BUSINESSNO, DOCTYPE, FILE |
/// | `application` | TOKEN, USERNO, BUSINESSTYPE, BUSINESSNO, then DOCTYPE, FILE for each card |
/// | `batch` | TOKEN, USERNO, then BUSINESSTYPE, BUSINESSNO, DOCTYPE, FILE for each card |
///
/// With one card the three are the same form. The layout never reorders: the answers of the backend come in the order
/// of the members.
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
    /// How many cards one delivery holds at most.
    package let maximumMembers: Int
    private let names: FormNames
    private let userNumber: Redacted<String>?

    /// Chooses a layout.
    ///
    /// - Parameters:
    ///   - kind: which.
    ///   - names: the names and constants of the form.
    ///   - userNumber: the account of cards that name none (`delivery.user_no`).
    ///   - maximumBatchMembers: how many cards a delivery of the layout `batch` holds at most
    ///     (`delivery.batch_max_cards`).
    /// - Throws: ``DeliveryError``: `form_invalid` if a name is empty, `member_count` if a batch would hold no card.
    package init(
        _ kind: Kind = .single,
        names: FormNames = FormNames(),
        userNumber: Redacted<String>? = nil,
        maximumBatchMembers: Int = 20
    ) throws(DeliveryError) {
        let partNames = [
            names.token, names.userNumber, names.businessType, names.businessNumber, names.documentType, names.file,
        ]
        guard !partNames.contains(where: \.isEmpty) else {
            throw DeliveryError(.formInvalid, "a part of the business backend's form has an empty name; give it one")
        }
        self.kind = kind
        switch kind {
        case .single: self.maximumMembers = 1
        case .application: self.maximumMembers = 2
        case .batch: self.maximumMembers = maximumBatchMembers
        }
        guard self.maximumMembers > 0 else {
            throw DeliveryError(.memberCount, "delivery.batch_max_cards is \(maximumBatchMembers); give 1 or more")
        }
        self.names = names
        self.userNumber = userNumber
    }

    /// Forms the parts of one delivery, as they are persisted before the first attempt.
    ///
    /// - Parameters:
    ///   - members: the cards in order; fronts stand before their backs.
    ///   - token: the TOKEN of this delivery.
    /// - Throws: ``DeliveryError``: `member_count`, `member_mismatch` or `user_no_missing`.
    package func parts(
        for members: [DeliveryMember],
        token: Redacted<String>
    ) throws(DeliveryError) -> [DeliveryPart] {
        guard let first = members.first, members.count <= self.maximumMembers else {
            throw DeliveryError(
                .memberCount,
                "the layout \(self.kind.rawValue) holds 1 to \(self.maximumMembers) cards, not \(members.count)"
            )
        }
        try self.checkCompany(members)
        let userNumber = try self.commonUserNumber(of: members)
        let head: [DeliveryPart] = [
            .text(token.reveal(), name: self.names.token), .text(userNumber, name: self.names.userNumber),
        ]
        switch self.kind {
        case .single, .application:
            return head + self.business(of: first) + members.flatMap(self.document)
        case .batch:
            return head + members.flatMap { self.business(of: $0) + self.document(of: $0) }
        }
    }

    private func business(of member: DeliveryMember) -> [DeliveryPart] {
        [
            .text(self.names.businessTypeValue, name: self.names.businessType),
            .text(member.businessNumber.rawValue, name: self.names.businessNumber),
        ]
    }

    private func document(of member: DeliveryMember) -> [DeliveryPart] {
        let isFront = member.side == .front
        return [
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

    /// Checks that the cards may stand in one form, in this order.
    private func checkCompany(_ members: [DeliveryMember]) throws(DeliveryError) {
        guard Set(members.map(\.card)).count == members.count else {
            throw DeliveryError(.memberMismatch, "a card stands in the delivery twice; form it anew")
        }
        if self.kind == .application {
            guard Set(members.map(\.businessNumber)).count == 1 else {
                throw DeliveryError(
                    .memberMismatch,
                    "the layout application holds the cards of one business number; use batch for several"
                )
            }
            guard Set(members.map(\.side)).count == members.count else {
                throw DeliveryError(.memberMismatch, "the layout application holds one front and one back, not two")
            }
        }
        var numbersWithBack: Set<BusinessNumber> = []
        for member in members {
            if member.side == .back {
                numbersWithBack.insert(member.businessNumber)
            } else if numbersWithBack.contains(member.businessNumber) {
                throw DeliveryError(
                    .memberMismatch,
                    "a back stands before a front of its business number; reorder them"
                )
            }
        }
    }

    private func commonUserNumber(of members: [DeliveryMember]) throws(DeliveryError) -> String {
        var numbers: Set<String> = []
        for member in members {
            let candidates = [member.userNumber, self.userNumber].compactMap { $0?.reveal() }
            guard let number = candidates.first(where: { !$0.isEmpty }) else {
                throw DeliveryError(
                    .userNumberMissing,
                    "no user number: give user_no in the manifest or sidecar, --user-no, or set delivery.user_no"
                )
            }
            numbers.insert(number)
        }
        guard let number = numbers.first, numbers.count == 1 else {
            throw DeliveryError(.memberMismatch, "the cards of one delivery belong to one user account, not several")
        }
        return number
    }
}

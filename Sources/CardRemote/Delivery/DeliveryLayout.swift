import CardModel

/// Turns cards into the parts of a form, in order.
///
/// | layout | parts |
/// |---|---|
/// | `single` | TOKEN, USERNO, BUSINESSTYPE, BUSINESSNO, DOCTYPE, FILE |
/// | `application` | TOKEN, USERNO, BUSINESSTYPE, BUSINESSNO, then DOCTYPE, FILE for each card |
/// | `batch` | TOKEN, USERNO, then BUSINESSTYPE, BUSINESSNO, DOCTYPE, FILE for each card |
///
/// With one card, all three layouts give the same form. Extra fields follow USERNO. The cards keep their order, since the
/// backend answers in the order of the form.
struct DeliveryLayout: Sendable {
    /// The settings; loading them has checked that each name occurs only once, and that the body supports the layout.
    let settings: DeliverySettings

    private var kind: DeliveryLayoutKind { self.settings.layout }
    private var names: FormNames { self.settings.form }

    private var maximumMembers: Int {
        switch self.kind {
        case .single: 1
        case .application: 2
        case .batch: self.settings.batchMaximumCards
        }
    }

    /// Makes the parts of one delivery, which are stored before the first attempt.
    ///
    /// - Parameters:
    ///   - members: the cards in order; fronts precede their backs.
    ///   - token: the TOKEN of this delivery.
    /// - Throws: `member_count`, `member_mismatch`, `user_no_missing`, of class `rejected`.
    func parts(for members: [DeliveryMember], token: Redacted<String>) throws(RemoteFailure) -> [DeliveryPart] {
        guard let first = members.first, members.count <= self.maximumMembers else {
            let message = Message.backendMemberCount(self.kind, members.count, limit: self.maximumMembers)
            throw Self.refusal("member_count", message)
        }
        try self.requireMatching(members)
        let userNumber = try self.commonUserNumber(of: members)
        let head: [DeliveryPart] =
            [.text(token.reveal(), name: self.names.token), .text(userNumber, name: self.names.userNumber)]
            + self.names.extra
        switch self.kind {
        case .single, .application: return head + self.business(of: first) + members.flatMap(self.document)
        case .batch: return head + members.flatMap { self.business(of: $0) + self.document(of: $0) }
        }
    }

    private func business(of member: DeliveryMember) -> [DeliveryPart] {
        [
            .text(self.names.businessTypeValue, name: self.names.businessType),
            .text(member.givenNumber?.reveal() ?? member.businessNumber.rawValue, name: self.names.businessNumber),
        ]
    }

    private func document(of member: DeliveryMember) -> [DeliveryPart] {
        let (type, filename) =
            member.side == .front
            ? (self.names.frontDocumentType, self.names.frontFilename)
            : (self.names.backDocumentType, self.names.backFilename)
        return [
            .text(type, name: self.names.documentType),
            .image(of: member.card, name: self.names.file, filename: filename, contentType: "image/jpeg"),
        ]
    }

    /// Checks that the cards may be in one form, in this order.
    private func requireMatching(_ members: [DeliveryMember]) throws(RemoteFailure) {
        let isApplication = self.kind == .application
        if Set(members.map(\.card)).count != members.count
            || isApplication && Set(members.map(\.businessNumber)).count != 1
            || isApplication && Set(members.map(\.side)).count != members.count
        {
            throw Self.refusal("member_mismatch", .backendMembers(self.kind))
        }
        var numbersWithBack: Set<BusinessNumber> = []
        for member in members {
            if member.side == .back {
                numbersWithBack.insert(member.businessNumber)
            } else if numbersWithBack.contains(member.businessNumber) {
                throw Self.refusal("member_mismatch", .backendBackFirst)
            }
        }
    }

    /// Returns the user account of all cards; throws if a card has none, or if they differ.
    private func commonUserNumber(of members: [DeliveryMember]) throws(RemoteFailure) -> String {
        var numbers: Set<String> = []
        for member in members {
            let candidates = [member.userNumber, self.settings.userNumber].compactMap { $0?.reveal() }
            guard let number = candidates.first(where: { !$0.isEmpty }) else {
                throw Self.refusal(ReasonCode.userNumberMissing.rawValue, .backendNoUserNumber)
            }
            numbers.insert(number)
        }
        guard let number = numbers.first, numbers.count == 1 else {
            throw Self.refusal("member_mismatch", .backendUserNumbers)
        }
        return number
    }

    private static func refusal(_ code: String, _ message: Message) -> RemoteFailure {
        RemoteFailure(.rejected, code: code, message: message)
    }
}

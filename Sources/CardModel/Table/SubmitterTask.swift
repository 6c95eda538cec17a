/// What the submitter of a photo is to do, in words without commands, keys and ids.
package struct SubmitterTask {
    /// The sides to photograph.
    package private(set) var sides: [CardSide] = []
    package private(set) var message: Message?

    /// - Parameters:
    ///   - state: the state of the case; `nil` for a photo that needs no retake, whose message alone counts.
    ///   - side: the side of the photo at fault.
    ///   - code: the reason, as lists show it.
    ///   - message: the reason in words, perhaps for an operator.
    ///   - missing: the sides of which no photo was delivered or still may be.
    package init(_ state: CaseState?, side: CardSide?, code: String?, message: Message?, missing: [CardSide] = []) {
        let reason = Self.text(message, code)
        switch (state, code) {
        case (nil, _), (.retake, ReasonCode.userNumberMissing.rawValue): self.message = reason
        case (.retake, RetakeReason.wrongSide.rawValue), (.rejected, _): self.message = reason
        case (.retake, ReasonCode.frontMissing.rawValue): break
        case (.retake, _):
            self.sides = side.map { [$0] } ?? []
            self.message = reason.map { reason in side.map { .tableRetake($0, reason) } ?? reason }
        case (.decide, _): self.message = .tableReview
        default: break
        }
        let others = missing.filter { !self.sides.contains($0) }
        guard !others.isEmpty else { return }
        self.sides = CardSide.allCases.filter { self.sides.contains($0) || others.contains($0) }
        self.message = self.message.map { .textAll([$0, .tableSend(others)]) } ?? .tableSend(others)
    }

    /// Returns a message, or the meaning of its code if it names a command or an option.
    private static func text(_ message: Message?, _ code: String?) -> Message? {
        if let message, !["idcard-pipeline ", "--"].contains(where: message.english.contains) { return message }
        return ReasonCode.all.first { $0.code.rawValue == code }?.meaning
    }
}

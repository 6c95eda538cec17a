/// The fields of a front that contradict the number, for `logic` in FaceID v3.
///
/// The number's check character, its positions 7 to 14 and the parity of its position 17 are compared with what is
/// printed (GB 11643-1999). An unread field contradicts nothing.
struct FieldLogic: Equatable {
    /// Whether the number's own check character is wrong.
    var number = false
    /// Whether the printed birth date differs.
    var birth = false
    /// Whether the printed gender differs.
    var gender = false

    /// Whether nothing contradicts.
    var isSound: Bool { !self.number && !self.birth && !self.gender }

    init(_ front: CardText.Front) {
        guard let number = front.number else { return }
        self.number = !NumberBallot.hasValidCheck(number)
        guard number.count == 18 else { return }
        let order = number.dropFirst(16).first?.wholeNumberValue ?? 0
        self.birth =
            front.birth.map { $0.hyphenated.replacing("-", with: "") != number.dropFirst(6).prefix(8) } ?? false
        self.gender = front.gender.map { $0 != (order.isMultiple(of: 2) ? "女" : "男") } ?? false
    }
}

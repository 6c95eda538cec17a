/// Says which fields of a front contradict the number, for `logic` in FaceID v3.
///
/// The number's check character, its positions 7 to 14 and the parity of its position 17 are compared with what is
/// printed (GB 11643-1999). What was not read contradicts nothing.
struct FieldLogic: Equatable {
    /// Whether the number's own check character is wrong.
    let number: Bool
    /// Whether the printed birth date is another.
    let birth: Bool
    /// Whether the printed gender is the other.
    let gender: Bool

    /// Whether nothing contradicts.
    var isSound: Bool { !self.number && !self.birth && !self.gender }

    init(_ front: CardText.Front) {
        guard let number = front.number, number.count == 18 else {
            self.number = front.number != nil
            self.birth = false
            self.gender = false
            return
        }
        self.number = !NumberBallot.hasValidCheck(number)
        self.birth =
            front.birth.map { "\($0.year)\($0.paddedMonth)\($0.paddedDay)" != number.dropFirst(6).prefix(8) } ?? false
        let order = number.dropFirst(16).first?.wholeNumberValue ?? 0
        self.gender = front.gender.map { $0 != (order.isMultiple(of: 2) ? "女" : "男") } ?? false
    }
}

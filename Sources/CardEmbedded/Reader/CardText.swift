/// The reading of the picture of one side of a card.
struct CardText: Sendable, Equatable {
    /// The printed fields of one side.
    enum Side: Sendable, Equatable {
        /// The side with the portrait (人像面).
        case front(Front)
        /// The side with the emblem (国徽面).
        case back(Back)

        /// The side's name for a log line.
        var name: String { if case .front = self { "front" } else { "back" } }

        /// Whether every field was read; the number must have 18 characters, but its check character may be wrong.
        var isComplete: Bool {
            switch self {
            case .front(let front): self.fieldCount == 6 && front.number?.count == 18
            case .back: self.fieldCount == 2
            }
        }

        var fieldCount: Int {
            switch self {
            case .front(let front):
                [front.name, front.gender, front.ethnicity, front.address, front.number].count { $0 != nil }
                    + (front.birth == nil ? 0 : 1)
            case .back(let back): [back.issuer, back.validity].count { $0 != nil }
            }
        }
    }

    /// The fields of a front. A field that could not be read is `nil`; none is derived from another.
    struct Front: Sendable, Equatable {
        /// 姓名.
        var name: String?
        /// 性别: 男 or 女.
        var gender: String?
        /// 民族, without 族.
        var ethnicity: String?
        /// 出生, as printed.
        var birth: BirthDate?
        /// 住址, its lines joined.
        var address: String?
        /// 公民身份号码, as printed: its check character may be wrong.
        var number: String?
    }

    /// A date of birth as it is printed: numbers without leading zeros.
    struct BirthDate: Sendable, Equatable {
        var year: Int
        var month: Int
        var day: Int

        /// The date as `YYYY-MM-DD`.
        var hyphenated: String {
            func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            return "\(self.year)-\(padded(self.month))-\(padded(self.day))"
        }
    }

    struct Back: Sendable, Equatable {
        /// 签发机关.
        var issuer: String?
        /// 有效期限 as `YYYY.MM.DD-YYYY.MM.DD` or `YYYY.MM.DD-长期`.
        var validity: String?
    }

    var side: Side
    var legality: Legality
}

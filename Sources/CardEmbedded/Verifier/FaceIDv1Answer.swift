import FoundationEssentials

/// The body of a 200 in the dialect FaceID v1: shapes and names as the vendor documents them.
///
/// A field that was not read is missing; without a card there is no `side`.
struct FaceIDv1Answer: Encodable, Sendable {
    /// 出生, as strings without leading zeros.
    struct Birthday: Encodable, Sendable {
        let year: String
        let month: String
        let day: String
    }

    /// A corner, in fractions of the picture's width and height.
    struct Corner: Encodable, Sendable {
        let x: Double
        let y: Double
    }

    /// The portrait's corners.
    struct Rectangle: Encodable, Sendable {
        let leftTop: Corner
        let rightTop: Corner
        let rightBottom: Corner
        let leftBottom: Corner

        enum CodingKeys: String, CodingKey {
            case leftTop = "lt"
            case rightTop = "rt"
            case rightBottom = "rb"
            case leftBottom = "lb"
        }
    }

    /// The names of the classes. The blank at the end stands in the vendor's sample of this dialect; clients trim it.
    static let classes = ["ID Photo", "Temporary ID Photo ", "Photocopy", "Screen", "Edited"]

    let requestID: String
    let milliseconds: Int
    var side: String?
    var name: String?
    var gender: String?
    var race: String?
    var birthday: Birthday?
    var address: String?
    var number: String?
    var portrait: Rectangle?
    var issuer: String?
    var validity: String?
    var legality: [String: Double]?

    enum CodingKeys: String, CodingKey {
        case requestID = "request_id"
        case milliseconds = "time_used"
        case side, name, gender, race, birthday, address
        case number = "id_card_number"
        case portrait = "head_rect"
        case issuer = "issued_by"
        case validity = "valid_date"
        case legality
    }
}

extension FaceIDv1Answer {
    /// Makes an answer of what was read.
    ///
    /// - Parameters:
    ///   - text: What was read; `nil` if no card was seen.
    ///   - withLegality: Whether the client asked for the classes.
    init(_ text: CardText?, mark: RequestMark, withLegality: Bool) {
        self.requestID = mark.id
        self.milliseconds = mark.milliseconds
        guard let text else { return }
        switch text.side {
        case .front(let front):
            self.side = "front"
            self.name = front.name
            self.gender = front.gender
            self.race = front.ethnicity
            self.birthday = front.birth.map {
                Birthday(year: String($0.year), month: String($0.month), day: String($0.day))
            }
            self.address = front.address
            self.number = front.number
            self.portrait = Rectangle(text.portrait)
        case .back(let back):
            self.side = "back"
            self.issuer = back.issuer
            self.validity = back.validity
        }
        if withLegality { self.legality = LegalityShares(text.legality).named(Self.classes) }
    }
}

extension FaceIDv1Answer.Rectangle {
    /// Four corners, clockwise from the top left; `nil` for any other count.
    init?(_ corners: [CardText.RelativePoint]) {
        guard corners.count == 4 else { return nil }
        let rounded = corners.map { corner in
            FaceIDv1Answer.Corner(
                x: (corner.x * 1_000_000).rounded() / 1_000_000,
                y: (corner.y * 1_000_000).rounded() / 1_000_000
            )
        }
        self.leftTop = rounded[0]
        self.rightTop = rounded[1]
        self.rightBottom = rounded[2]
        self.leftBottom = rounded[3]
    }
}

/// What names a request in its reply: an id, and how long it took.
struct RequestMark: Sendable {
    /// `<seconds since 1970>,<uuid>`.
    let id: String
    /// The type of replies in JSON.
    static let contentType = "application/json; charset=utf-8"

    private let start: ContinuousClock.Instant

    init(now: Date) {
        self.id = "\(Int(now.timeIntervalSince1970)),\(UUID().uuidString.lowercased())"
        self.start = ContinuousClock.now
    }

    /// Milliseconds since the request came.
    var milliseconds: Int {
        let passed = self.start.duration(to: .now)
        return Int(passed / .milliseconds(1))
    }
}

/// The likelihood of the five classes as replies give it: three decimals, together 1.
struct LegalityShares {
    /// The shares in the vendor's order: genuine, temporary, photocopy, screen, edited.
    let values: [Double]

    /// Rounds to thousandths; what rounding loses or gains goes to the largest class, so that the sum stays 1.
    init(_ legality: Legality) {
        let shares = [
            legality.idPhoto, legality.temporaryIDPhoto, legality.photocopy, legality.screen, legality.edited,
        ]
        var thousandths = shares.map { Int(($0 * 1000).rounded()) }
        let largest = shares.indices.max { shares[$0] < shares[$1] } ?? 0
        thousandths[largest] += 1000 - thousandths.reduce(0, +)
        self.values = thousandths.map { Double($0) / 1000 }
    }

    /// The shares under a dialect's names, in the vendor's order.
    func named(_ names: [String]) -> [String: Double] {
        Dictionary(uniqueKeysWithValues: zip(names, self.values))
    }
}

/// The body of a 200 in the FaceID v1 dialect: shapes and names as the vendor documents them.
struct VerifierReply: Encodable, Sendable {
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

    /// The likelihood of five classes, three decimals, together 1.
    struct Classes: Encodable, Sendable {
        let idPhoto: Double
        let temporaryIDPhoto: Double
        let photocopy: Double
        let screen: Double
        let edited: Double

        enum CodingKeys: String, CodingKey {
            case idPhoto = "ID Photo"
            // The space at the end stands in the vendor's sample of this dialect; clients trim it.
            case temporaryIDPhoto = "Temporary ID Photo "
            case photocopy = "Photocopy"
            case screen = "Screen"
            case edited = "Edited"
        }
    }

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
    var legality: Classes?

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

extension VerifierReply {
    /// Makes a reply of what was read.
    ///
    /// - Parameters:
    ///   - text: What was read; `nil` gives a reply without `side`: no card seen.
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
        if withLegality { self.legality = Classes(text.legality) }
    }
}

extension VerifierReply.Rectangle {
    /// Four corners, clockwise from the top left; `nil` for any other count.
    init?(_ corners: [CardText.RelativePoint]) {
        guard corners.count == 4 else { return nil }
        let rounded = corners.map { corner in
            VerifierReply.Corner(
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

extension VerifierReply.Classes {
    /// Rounds to thousandths; what rounding loses or gains goes to the largest class, so that the sum stays 1.
    init(_ legality: Legality) {
        let shares = [
            legality.idPhoto, legality.temporaryIDPhoto, legality.photocopy, legality.screen, legality.edited,
        ]
        var thousandths = shares.map { Int(($0 * 1000).rounded()) }
        let largest = shares.indices.max { shares[$0] < shares[$1] } ?? 0
        thousandths[largest] += 1000 - thousandths.reduce(0, +)
        let values = thousandths.map { Double($0) / 1000 }
        self.idPhoto = values[0]
        self.temporaryIDPhoto = values[1]
        self.photocopy = values[2]
        self.screen = values[3]
        self.edited = values[4]
    }
}

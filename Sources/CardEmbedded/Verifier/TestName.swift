/// What a printed name has the verifier do, as business numbers do with the backend (``TestNumber``): so each failure can be
/// seen without a service that fails. Each begins with 样本 (specimen), which no person is called.
enum TestName: String {
    /// Answers with status 503.
    case failure = "样本故障"
    /// Answers late.
    case slow = "样本缓慢"
    /// Scores the picture as a photocopy.
    case photocopy = "样本复印"
    /// Scores the picture as a photograph of a screen.
    case screen = "样本翻拍"

    init?(in text: CardText?) {
        guard case .front(let front)? = text?.side, let name = front.name else { return nil }
        self.init(rawValue: name)
    }

    /// The scores that take the place of the measured ones.
    var legality: Legality? {
        switch self {
        case .photocopy: Legality(photocopy: 1, screen: 0)
        case .screen: Legality(photocopy: 0, screen: 1)
        case .failure, .slow: nil
        }
    }
}

/// Printed names that trigger failures of the verifier, as ``TestNumber`` does in the backend, so that each failure can
/// be tried without a failing service. Each begins with 样本 (specimen), which is not a name of a person.
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

    /// The scores that replace the measured ones.
    var legality: Legality? {
        switch self {
        case .photocopy: Legality(photocopy: 1, screen: 0)
        case .screen: Legality(photocopy: 0, screen: 1)
        case .failure, .slow: nil
        }
    }
}

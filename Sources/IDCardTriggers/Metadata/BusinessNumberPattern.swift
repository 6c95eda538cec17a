import IDCardCore
import Synchronization

/// A regular expression that finds the business number in the path of an image.
package final class BusinessNumberPattern: Sendable {
    /// The group that is the number if there are several.
    package static let groupName = "business_no"

    // `Regex` is not `Sendable`.
    private let regex: Mutex<Regex<AnyRegexOutput>>
    private let group: Int

    /// Takes an expression with one capture group, or one of several that is named `business_no`.
    init(_ text: String) throws(BusinessNumberRule.Problem) {
        let groups: [String?]
        do {
            self.regex = Mutex(try Regex(text))
            // It matches the empty text, and a match names all groups.
            let probe = try Regex("(?:\(text))|").firstMatch(in: "")
            groups = probe?.output.dropFirst().map(\.name) ?? []
        } catch {
            throw BusinessNumberRule.Problem(words: "has a pattern that is no regular expression (\(error))")
        }
        guard let group = groups.count == 1 ? 0 : groups.firstIndex(of: Self.groupName) else {
            throw BusinessNumberRule.Problem(
                words: "has a pattern with \(groups.count) groups; it needs one around the business number, as in "
                    + "pattern:^([^/]+)/, or one of them named (?<\(Self.groupName)>…)"
            )
        }
        self.group = group + 1
    }

    /// The number in a path; `nil` if the expression does not match, or its group is blank.
    func number(in path: String) -> String? {
        let found = self.regex.withLock { regex -> String? in
            // An expression that fails on a path has not matched it.
            guard let match = try? regex.firstMatch(in: path) else { return nil }
            return match.output[self.group].substring.map { String($0) }
        }
        guard let number = found?.trimmed, !number.isEmpty else { return nil }
        return number
    }
}

/// One component of a pattern, matched against one file name.
///
/// - `*` matches any run of characters, also none; `?` matches one character.
/// - `[abc]`, `[a-z]` match one of these characters, `[!abc]` and `[^abc]` one other; a `]` that comes first stands for
///   itself, a `[` without end too.
/// - `\` takes the meaning from the character after it.
/// - A name that starts with a dot is matched only by a pattern that starts with a dot.
///
/// A character is a Unicode scalar; upper and lower case differ.
struct GlobPattern: Hashable {
    private enum Token: Hashable {
        case literal(Unicode.Scalar)
        case one
        case run
        case set([ClosedRange<UInt32>], negated: Bool)
    }

    private let tokens: [Token]

    /// Reads a pattern component; every text is one.
    init(_ text: String) {
        var tokens: [Token] = []
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*": if tokens.last != .run { tokens.append(.run) }
            case "?": tokens.append(.one)
            case "[": tokens.append(Self.set(&rest) ?? .literal(scalar))
            case "\\": tokens.append(.literal(rest.popFirst() ?? scalar))
            default: tokens.append(.literal(scalar))
            }
        }
        self.tokens = tokens
    }

    /// The name itself, if the pattern has no wildcard.
    var literal: String? {
        var scalars = String.UnicodeScalarView()
        for token in self.tokens {
            guard case .literal(let scalar) = token else { return nil }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    /// Whether a text has a character that means something in a pattern.
    static func isPattern(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0 == "*" || $0 == "?" || $0 == "[" || $0 == "\\" }
    }

    /// Whether a name matches.
    func matches(_ name: String) -> Bool {
        let scalars = Array(name.unicodeScalars)
        if scalars.first == ".", self.tokens.first != .literal(".") { return false }
        var position = 0
        var token = 0
        // Where to go on if the rest does not fit: after the last run, one character further. Older runs need no second
        // try.
        var retry: (token: Int, position: Int)?
        while position < scalars.count {
            if token < self.tokens.count, self.tokens[token] == .run {
                token += 1
                retry = (token, position)
            } else if token < self.tokens.count, Self.accepts(self.tokens[token], scalars[position]) {
                token += 1
                position += 1
            } else if let last = retry {
                retry = (last.token, last.position + 1)
                token = last.token
                position = last.position + 1
            } else {
                return false
            }
        }
        return self.tokens[token...].allSatisfy { $0 == .run }
    }

    private static func accepts(_ token: Token, _ scalar: Unicode.Scalar) -> Bool {
        switch token {
        case .literal(let expected): expected == scalar
        case .one: true
        case .run: false
        case .set(let ranges, let negated): ranges.contains { $0.contains(scalar.value) } != negated
        }
    }

    /// Reads a set after its `[`; `nil`, and nothing taken, if it has no end.
    private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) -> Token? {
        var scan = rest
        var ranges: [ClosedRange<UInt32>] = []
        let negated = scan.first == "!" || scan.first == "^"
        if negated { scan.removeFirst() }
        var isFirst = true
        while let scalar = scan.popFirst() {
            if scalar == "]", !isFirst {
                rest = scan
                return .set(ranges, negated: negated)
            }
            isFirst = false
            let lower = scalar == "\\" ? scan.popFirst() ?? scalar : scalar
            var upper = lower
            if scan.first == "-", let end = scan.dropFirst().first, end != "]" {
                scan.removeFirst(2)
                upper = end == "\\" ? scan.popFirst() ?? end : end
            }
            // A range that runs backwards matches nothing, as in the shell.
            if lower.value <= upper.value { ranges.append(lower.value...upper.value) }
        }
        return nil
    }
}

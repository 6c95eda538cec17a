import CardModel
import Hummingbird

/// The parameters behind the question mark.
struct QueryParameters {
    private let values: [(name: String, value: String)]

    /// - Throws: ``Problem``: `parameter_invalid` for one that is not known: a mistyped filter would show too much.
    init(_ request: Request, known: Set<String>) throws { try self.init(request.uri.queryParameters, known: known) }

    init(_ parameters: some Sequence<(key: Substring, value: Substring)>, known: Set<String>) throws {
        self.values = parameters.map { (String($0.key), String($0.value)) }
        guard self.values.allSatisfy({ known.contains($0.name) }) else {
            throw Problem(.parameterInvalid, .requestUnknownParameter(known.sorted()))
        }
    }

    func all(_ name: String) -> [String] { self.values.filter { $0.name == name }.map(\.value) }

    /// The value of a parameter that may be given once.
    func single(_ name: String) throws -> String? {
        let values = self.all(name)
        guard values.count <= 1 else { throw Problem(.parameterInvalid, .requestGivenTwice(name)) }
        return values.first
    }

    /// The value of a parameter that a form sends also if nothing was written there.
    func given(_ name: String) throws -> String? { try self.single(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// A parameter that is `true` or `false`, false if it is missing.
    func flag(_ name: String) throws -> Bool {
        switch try self.single(name) {
        case nil, "false": false
        case "true": true
        default: throw Problem(.parameterInvalid, .requestFlag(name))
        }
    }

    /// The words of a parameter, which are separated by commas or given one by one.
    ///
    /// - Parameter empty: whether an empty word says nothing, as in what a form sends.
    func words<Word: RawRepresentable<String> & CaseIterable>(_ name: String, empty: Bool = false) throws -> [Word] {
        let texts = self.all(name).flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: empty).map(String.init)
        }
        return try texts.map { text in
            guard let word = Word.allCases.first(where: { $0.rawValue == text }) else {
                throw Problem(.parameterInvalid, .requestWord(name, Word.known))
            }
            return word
        }
    }

    func businessNumber() throws -> BusinessNumber? {
        guard let text = try self.single("business_no") else { return nil }
        guard let number = BusinessNumber(text) else { throw Problem(.parameterInvalid, .requestBusinessNo) }
        return number
    }

    func pageSize() throws -> Int {
        let limit = Int(try self.single("limit") ?? "\(Limits.defaultPageSize)") ?? 0
        guard 1...Limits.pageSize ~= limit else { throw Problem(.parameterInvalid, .requestLimit(Limits.pageSize)) }
        return limit
    }
}

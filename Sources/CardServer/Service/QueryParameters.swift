import CardModel
import CardStore
import HummingbirdCore

struct QueryParameters {
    private let values: [(name: String, value: String)]
    /// Whether a form sent them: then an empty parameter counts as missing.
    private let isForm: Bool

    /// - Throws: ``Problem``: `parameter_invalid` for an unknown one: a mistyped filter would show too much.
    init(_ uri: URI, known: Set<String>, isForm: Bool = false) throws {
        self.values = uri.queryParameters.map { (String($0.key), String($0.value)) }
        self.isForm = isForm
        guard self.values.allSatisfy({ known.contains($0.name) }) else {
            throw Problem(.parameterInvalid, .requestUnknownParameter(known.sorted()))
        }
    }

    func all(_ name: String) -> [String] { self.values.filter { $0.name == name }.map(\.value) }

    /// The value of a parameter that may be given once only.
    func single(_ name: String) throws -> String? {
        let values = self.all(name)
        guard values.count <= 1 else { throw Problem(.parameterInvalid, .requestGivenTwice(name)) }
        return self.isForm && values.first == "" ? nil : values.first
    }

    /// Parses the value of a parameter that may be given once only; refuses a value that `read` does not accept.
    func single<Value>(_ name: String, else refusal: Message, as read: (String) -> Value?) throws -> Value? {
        guard let text = try self.single(name) else { return nil }
        guard let value = read(text) else { throw Problem(.parameterInvalid, refusal) }
        return value
    }

    /// A parameter that is `true` or `false`, false if it is missing.
    func flag(_ name: String) throws -> Bool {
        try self.single(name, else: .requestFlag(name)) { Bool($0) } ?? false
    }

    /// The words of a parameter, separated by commas or in several parameters.
    func choices<Word: RawRepresentable<String> & CaseIterable>(_ name: String) throws -> [Word] {
        let texts = self.all(name).flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: self.isForm).map(String.init)
        }
        return try texts.map { text in
            guard let word = Word.allCases.first(where: { $0.rawValue == text }) else {
                throw Problem(.parameterInvalid, .requestWord(name, Word.known))
            }
            return word
        }
    }

    func businessNumber() throws -> BusinessNumber? {
        try self.single("business_no", else: .requestBusinessNo, as: BusinessNumber.init(_:))
    }

    /// The filter of a list of cases.
    func caseFilter(for caller: Caller) throws -> CaseFilter {
        var filter = CaseFilter(states: try self.choices("state"), number: try self.businessNumber())
        filter.cause = try self.single("cause")
        filter.toBring = try self.flag("to_bring")
        if try self.flag("mine") { filter.submitter = caller.submitter }
        return filter
    }

    func pageSize() throws -> Int {
        let limit = Int(try self.single("limit") ?? "\(Limits.defaultPageSize)") ?? 0
        guard 1...Limits.pageSize ~= limit else { throw Problem(.parameterInvalid, .requestLimit(Limits.pageSize)) }
        return limit
    }
}

extension CaseCursor {
    /// The cursor for a client, who need not understand it: state, time and number, the number in hexadecimal digits, since it
    /// may hold any character.
    var text: String {
        "\(self.state.rawValue).\(self.since.millisecondsSinceEpoch).\(self.number.rawValue.utf8.hexadecimal)"
    }

    init?(_ text: String) {
        guard let match = text.wholeMatch(of: /([a-z_]{1,20})\.([0-9]{1,15})\.((?:[0-9a-f]{2}){1,256})/),
            let state = CaseState(rawValue: String(match.1)), let time = Int64(match.2)
        else { return nil }
        let pairs = String(match.3).matches(of: /../).compactMap { UInt8($0.output, radix: 16) }
        guard let number = String(validating: pairs, as: UTF8.self) else { return nil }
        self.init(state, since: Timestamp(millisecondsSinceEpoch: time), BusinessNumber(stored: number))
    }
}

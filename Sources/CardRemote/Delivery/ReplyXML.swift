import CardModel
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads `<RESPONSE><RETCODE>…</RETCODE><RETMSG/><ITEMS><ITEM>…` into a ``ReplyDocument``, event by event.
///
/// The names of the root and of the entries do not matter, and prefixes neither. A document type definition is refused
/// before the parser sees it: entities that multiply or lie outside cannot even be declared.
enum ReplyXML {
    /// Returns what a document in UTF-8 says; `nil` if it is not well-formed or not harmless.
    static func document(_ bytes: [UInt8], names: ReplyNames) -> ReplyDocument? {
        guard !bytes.contains(0), self.isHarmless(bytes) else { return nil }
        let parser = XMLParser(data: Data(self.undeclared(bytes)))
        let reader = ReplyXMLReader(names: names)
        parser.delegate = reader
        parser.shouldResolveExternalEntities = false
        // On Linux `parse()` returns true for documents that are cut or go on behind their root: the error and the
        // root's end must be asked for, too.
        guard parser.parse(), parser.parserError == nil else { return nil }
        return reader.document
    }

    /// The document without its XML declaration, whose encoding was that of the bytes before they became UTF-8.
    private static func undeclared(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.starts(with: "<?xml".utf8), let end = bytes.firstRange(of: Array("?>".utf8)) else { return bytes }
        return Array(bytes[end.upperBound...])
    }

    /// Whether a document declares nothing.
    private static func isHarmless(_ bytes: [UInt8]) -> Bool {
        bytes.indices.allSatisfy { index in
            guard bytes[index] == UInt8(ascii: "<") else { return true }
            let rest = bytes[index...]
            guard rest.starts(with: "<!".utf8) else { return true }
            return rest.starts(with: "<!--".utf8) || rest.starts(with: "<![CDATA[".utf8)
        }
    }
}

/// Gathers the statements of one document.
private final class ReplyXMLReader: XMLParserDelegate {
    /// Where in a reply an element stands.
    private enum Place {
        case root, code, message, items, item, itemCode, itemMessage, other
    }

    /// Codes and texts of one level, as often as they occur.
    private struct Finding {
        var codes: [String] = []
        var messages: [String] = []

        /// The statement, if there is exactly one code.
        var statement: ReplyDocument.Statement? {
            guard let code = self.codes.first, self.codes.count == 1, !code.isEmpty else { return nil }
            return ReplyDocument.Statement(spellings: [code], message: self.messages.first ?? "")
        }
    }

    private let names: ReplyNames
    private var places: [Place] = []
    private var text = ""
    private var whole = Finding()
    private var current = Finding()
    private var items: [ReplyDocument.Statement?] = []
    private var itemsCount = 0
    private var isBroken = false
    private var isComplete = false

    init(names: ReplyNames) {
        self.names = names
    }

    /// What was read; `nil` unless the root ended and every field held plain text.
    var document: ReplyDocument? {
        guard self.isComplete, !self.isBroken else { return nil }
        let items: ReplyDocument.Items =
            switch self.itemsCount {
            case 0: .absent
            case 1: .listed(self.items)
            default: .malformed
            }
        return ReplyDocument(statement: self.whole.statement, items: items)
    }

    func parser(
        _ parser: XMLParser,
        didStartElement elementName: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard self.places.count < Limits.xmlDepth else {
            self.isBroken = true
            return parser.abortParsing()
        }
        let place = self.place(of: elementName.split(separator: ":").last.map(String.init) ?? elementName)
        self.places.append(place)
        if place == .items { self.itemsCount += 1 }
        if place == .item { self.current = Finding() }
        self.text = ""
    }

    func parser(
        _ parser: XMLParser,
        didEndElement elementName: String,
        namespaceURI: String?,
        qualifiedName: String?
    ) {
        switch self.places.popLast() {
        case .code: self.whole.codes.append(self.text.trimmed)
        case .message: self.whole.messages.append(self.text)
        case .itemCode: self.current.codes.append(self.text.trimmed)
        case .itemMessage: self.current.messages.append(self.text)
        case .item: self.items.append(self.current.statement)
        case .root: self.isComplete = true
        case .items, .other, nil: break
        }
        self.text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        self.text += string
    }

    func parser(_ parser: XMLParser, foundCDATA data: Data) {
        self.text += String(decoding: data, as: UTF8.self)
    }

    private func place(of name: String) -> Place {
        switch self.places.last {
        case nil: return .root
        case .root:
            switch name {
            case self.names.code: return .code
            case self.names.message: return .message
            case self.names.items: return .items
            default: return .other
            }
        case .items: return .item
        case .item:
            switch name {
            case self.names.code: return .itemCode
            case self.names.message: return .itemMessage
            default: return .other
            }
        case .code, .message, .itemCode, .itemMessage:
            // An element inside a text: what the text is, nobody can say.
            self.isBroken = true
            return .other
        case .other: return .other
        }
    }
}

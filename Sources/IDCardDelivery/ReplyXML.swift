import Foundation
import IDCardCore

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads `<RESPONSE><RETCODE>…</RETCODE><RETMSG/><ITEMS><ITEM>…` into a ``ReplyDocument``, event by event.
///
/// The names of the root and of the entries do not matter, and prefixes neither. A document type definition is refused
/// before the parser sees it: entities that multiply or lie outside cannot even be declared.
enum ReplyXML {
    /// How deep elements may be nested.
    static let maximumDepth = 16
    /// Encodings in which `<!DOCTYPE` is spelled with the bytes of ASCII.
    private static let encodings: Set<String> = ["utf-8", "us-ascii", "iso-8859-1", "gbk", "gb2312", "gb18030"]

    /// Returns what a document says; `nil` if it is not well-formed or not harmless.
    static func document(_ bytes: [UInt8], names: ReplyNames) -> ReplyDocument? {
        guard self.isHarmless(bytes) else { return nil }
        let parser = XMLParser(data: Data(bytes))
        let reader = ReplyXMLReader(names: names)
        parser.delegate = reader
        parser.shouldResolveExternalEntities = false
        // On Linux `parse()` returns true for documents that are cut or go on behind their root: the error and the
        // root's end must be asked for, too.
        guard parser.parse(), parser.parserError == nil else { return nil }
        return reader.document
    }

    /// Whether a document declares nothing and is in an encoding in which that can be told from its bytes.
    private static func isHarmless(_ bytes: [UInt8]) -> Bool {
        guard !bytes.contains(0), self.encodings.contains(self.declaredEncoding(of: bytes)) else { return false }
        return bytes.indices.allSatisfy { index in
            let rest = bytes[index...]
            guard bytes[index] == UInt8(ascii: "<"), rest.starts(with: "<!".utf8) else { return true }
            return rest.starts(with: "<!--".utf8) || rest.starts(with: "<![CDATA[".utf8)
        }
    }

    /// The encoding of the XML declaration, in lower case; UTF-8 if there is none.
    private static func declaredEncoding(of bytes: [UInt8]) -> String {
        let head = String(decoding: bytes.prefix(256), as: UTF8.self)
        guard head.hasPrefix("<?xml"), let end = head.range(of: "?>") else { return "utf-8" }
        let declaration = head[..<end.lowerBound]
        guard let match = declaration.firstMatch(of: #/\sencoding\s*=\s*["']([^"']*)["']/#) else { return "utf-8" }
        return match.1.lowercased()
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
        guard self.places.count < ReplyXML.maximumDepth else {
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

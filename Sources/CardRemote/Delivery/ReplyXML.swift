import CardModel
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads XML into the shape of JSON: an element is the object of its children, or its text if it has none. Prefixes and
/// attributes are ignored. A document with a type definition is refused before it is parsed, so that no entity can expand without
/// limit or refer to another file.
enum ReplyXML {
    /// Returns the root of a document in UTF-8; `nil` if it is not well-formed or not harmless.
    static func root(_ bytes: [UInt8]) -> JSONValue? {
        guard !bytes.contains(0), self.isHarmless(bytes) else { return nil }
        let parser = XMLParser(data: Data(self.undeclared(bytes)))
        let reader = ElementReader()
        parser.delegate = reader
        parser.shouldResolveExternalEntities = false
        // On Linux, `parse()` returns true even for documents that are cut off or continue after their root, so the error is
        // checked, too; and `reader.root` is set only at the end of the root.
        guard parser.parse(), parser.parserError == nil else { return nil }
        return reader.root
    }

    /// Returns the document without its XML declaration, whose encoding no longer applies after the conversion to UTF-8.
    private static func undeclared(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.starts(with: "<?xml".utf8), let end = bytes.firstRange(of: Array("?>".utf8)) else { return bytes }
        return Array(bytes[end.upperBound...])
    }

    /// Whether a document has no type definition, and no processing instruction without data, on which XMLParser crashes.
    /// Comments and CDATA must end exactly where the parser ends them, so that they cannot hide a definition.
    private static func isHarmless(_ bytes: [UInt8]) -> Bool {
        var remaining = bytes[...]
        while let start = remaining.firstIndex(of: UInt8(ascii: "<")) {
            guard let end = self.markupEnd(in: remaining[start...]) else { return false }
            remaining = remaining[end...]
        }
        return true
    }

    /// Returns where the search for the next markup continues: after a comment, CDATA section or processing instruction; for a tag
    /// right after its `<`. `nil` if the markup is cut off or not harmless.
    private static func markupEnd(in bytes: ArraySlice<UInt8>) -> Int? {
        func closingEnd(_ opening: Int, _ closing: String) -> Int? {
            bytes.dropFirst(opening).firstRange(of: Array(closing.utf8))?.upperBound
        }
        if bytes.starts(with: "<!--".utf8) { return closingEnd(4, "-->") }
        if bytes.starts(with: "<![CDATA[".utf8) { return closingEnd(9, "]]>") }
        if bytes.starts(with: "<!".utf8) { return nil }
        // In a tag, the parser refuses another `<`, so the search continues right after this one.
        guard bytes.starts(with: "<?".utf8) else { return bytes.startIndex + 1 }
        let name = bytes.dropFirst(2).prefix(Limits.xmlNameBytes + 1).prefix { $0 > UInt8(ascii: " ") }
        return name.count > Limits.xmlNameBytes || name.contains(UInt8(ascii: ">")) ? nil : closingEnd(2, "?>")
    }
}

/// Collects the elements of one document.
private final class ElementReader: XMLParserDelegate {
    private struct Element {
        let name: String
        var text = ""
        var children: [JSONValue.Member] = []
    }

    private var open: [Element] = []
    /// The root; `nil` until it is complete.
    private(set) var root: JSONValue?

    func parser(
        _ parser: XMLParser,
        didStartElement elementName: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard self.open.count < Limits.xmlDepth else { return parser.abortParsing() }
        self.open.append(Element(name: elementName.split(separator: ":").last.map(String.init) ?? elementName))
    }

    func parser(_ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?) {
        guard let element = self.open.popLast() else { return }
        let value: JSONValue = element.children.isEmpty ? .string(element.text) : .object(element.children)
        if self.open.isEmpty {
            self.root = value
        } else {
            self.open[self.open.count - 1].children.append(.init(name: element.name, value: value))
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard !self.open.isEmpty else { return }
        self.open[self.open.count - 1].text += string
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        // FoundationXML leaks 72 bytes at each error, and continues after some errors.
        parser.abortParsing()
    }

    func parser(_ parser: XMLParser, foundCDATA data: Data) {
        self.parser(parser, foundCharacters: String(decoding: data, as: UTF8.self))
    }
}

import IDCardCore

/// The inputs of one run in their order, each packed into the bytes that it takes.
///
/// A run holds its inputs to its end, so that it can say what became of each; as `IntakeItem`s with texts of their own they
/// would take half a kilobyte each. An element is made anew whenever it is asked for.
package struct IntakeList: RandomAccessCollection, Sendable {
    /// Where each record ends in `bytes`.
    private var ends: [Int] = []
    private var bytes: [UInt8] = []
    /// What paths have before the part that they share with their source, mostly one for all.
    private var prefixes: [[UInt8]] = []
    private var placeOfPrefix: [[UInt8]: Int] = [:]
    /// The real paths of the folders that were walked and of the manifest, in which the inputs were found; the manifest
    /// last.
    package private(set) var roots: [String] = []
    private var folders: [[UInt8]: String] = [:]
    private var manifest: String?

    /// Packs inputs.
    package init(_ items: some Sequence<IntakeItem>) {
        if let list = items as? IntakeList {
            self = list
        } else {
            for item in items { self.append(item) }
        }
    }

    /// Makes a list that inputs are to be appended to.
    package init() {}

    /// Says where the inputs were found.
    ///
    /// - Parameters:
    ///   - folders: the real paths of the folders that were walked.
    ///   - manifest: the real path of the manifest, if there is one.
    package mutating func setRoots(folders: [String], manifest: String?) {
        self.roots = folders + [manifest].compactMap(\.self)
        self.folders = Dictionary(folders.map { (Array($0.utf8), $0) }) { first, _ in first }
        self.manifest = manifest
    }

    /// The root in which an input was found: the innermost folder that holds it, else the manifest; `nil` if it was named
    /// by itself.
    package func root(of item: IntakeItem) -> String? {
        var path = Array(item.path.reveal().utf8)[...]
        // From the innermost folder outwards; by bytes, as equal names may be written in several ways.
        while let slash = path.lastIndex(of: UInt8(ascii: "/")) {
            path = path[..<slash]
            if let folder = self.folders[path.isEmpty ? [UInt8(ascii: "/")] : Array(path)] { return folder }
        }
        return self.manifest
    }

    /// Always 0.
    package var startIndex: Int { 0 }
    /// How many inputs there are.
    package var endIndex: Int { self.ends.count }

    /// The input at a place, made anew.
    package subscript(index: Int) -> IntakeItem {
        var reader = self.reader(at: index)
        let disposition = reader.disposition()
        let source = reader.text()
        switch reader.byte() {
        case Kind.address:
            return IntakeItem(address: ImageAddress(source), disposition: disposition)
        case let kind:
            precondition(kind == Kind.file || kind == Kind.expectedFile, "neither file nor address: \(kind)")
            let prefix = self.prefixes[Int(reader.number())]
            let path = String(decoding: prefix + source.utf8.suffix(Int(reader.number())), as: UTF8.self)
            let expected = kind == Kind.expectedFile ? reader.fileIdentity() : nil
            return IntakeItem(source: source, path: path, expected: expected, disposition: disposition)
        }
    }

    /// What is to be done with an input: less work than to make the whole of it.
    package func disposition(at index: Int) -> IntakeItem.Disposition {
        var reader = self.reader(at: index)
        return reader.disposition()
    }

    private func reader(at index: Int) -> PackedReader {
        PackedReader(self.bytes[(index == 0 ? 0 : self.ends[index - 1])..<self.ends[index]])
    }

    /// Packs an input behind the others.
    package mutating func append(_ item: IntakeItem) {
        var writer = PackedWriter(bytes: self.bytes)
        self.bytes = []
        writer.put(item.disposition)
        writer.put(item.source.reveal())
        if item.address != nil {
            writer.put(byte: Kind.address)
        } else {
            writer.put(byte: item.expected == nil ? Kind.file : Kind.expectedFile)
            let (prefix, shared) = self.split(item.path.reveal(), source: item.source.reveal())
            writer.put(Int64(prefix))
            writer.put(Int64(shared))
            if let expected = item.expected { writer.put(expected) }
        }
        self.bytes = writer.bytes
        self.ends.append(self.bytes.count)
    }

    private enum Kind {
        static let file: UInt8 = 0
        static let expectedFile: UInt8 = 1
        static let address: UInt8 = 2
    }

    /// Cuts a path in front of the bytes in which it ends as its source does.
    private mutating func split(_ path: String, source: String) -> (prefix: Int, shared: Int) {
        let shared = zip(path.utf8.reversed(), source.utf8.reversed()).prefix { $0 == $1 }.count
        let prefix = Array(path.utf8.dropLast(shared))
        if let place = self.placeOfPrefix[prefix] { return (place, shared) }
        self.prefixes.append(prefix)
        self.placeOfPrefix[prefix] = self.prefixes.count - 1
        return (self.prefixes.count - 1, shared)
    }
}

extension IntakeList: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(self.count) inputs" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension IntakeList: ExpressibleByArrayLiteral {
    /// Packs the inputs of a literal.
    package init(arrayLiteral elements: IntakeItem...) { self.init(elements) }
}

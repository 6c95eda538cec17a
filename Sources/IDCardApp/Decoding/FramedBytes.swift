import Foundation

/// A line of JSON with bytes after it: what goes to the decoding child and comes from it.
enum FramedBytes {
    /// The longest line that is looked at; messages of the decoder are a few hundred bytes.
    private static let longestLine = 16 << 10

    /// Writes a value and bytes.
    static func join(_ header: some Encodable, _ body: Data) throws -> Data {
        var framed = try JSONEncoder().encode(header)
        framed.append(UInt8(ascii: "\n"))
        framed.append(body)
        return framed
    }

    /// Takes them apart again; `nil` if this is not such a thing.
    static func split<Header: Decodable>(_ framed: Data, as type: Header.Type) -> (header: Header, body: Data)? {
        guard let end = framed.prefix(Self.longestLine).firstIndex(of: UInt8(ascii: "\n")),
            let header = try? JSONDecoder().decode(type, from: framed[framed.startIndex..<end])
        else { return nil }
        return (header, framed[(end + 1)...])
    }
}

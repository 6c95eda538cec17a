import Foundation

/// A piece of what was erased, by fingerprints under the key of the sandbox: found again wherever it stands in the file,
/// and read by nobody.
///
/// The mark is that of the last six bytes and quickly compared at every place of the file; where it fits, the fingerprint
/// decides.
struct ErasedTrace: Hashable, Sendable {
    /// The longest piece, and the shortest that says whose it is.
    static let lengths = 6...24
    /// How much of the end makes the mark.
    static let markedLength = 6

    var length: Int
    var mark: UInt32
    var fingerprint: Data

    private static let fingerprintLength = 16
    private static let encodedLength = 5 + fingerprintLength

    /// The first and the last bytes of a value: of what was partly overwritten one of them is left.
    static func pieces(of value: Data) -> Set<Data> {
        guard value.count >= Self.lengths.lowerBound else { return [] }
        return [Data(value.prefix(Self.lengths.upperBound)), Data(value.suffix(Self.lengths.upperBound))]
    }

    /// The traces of values that must be found nowhere any more.
    static func traces(of values: [Data], marker: TraceMarker) -> [ErasedTrace] {
        Set(values.flatMap(Self.pieces)).map { piece in
            ErasedTrace(length: piece.count, mark: marker.mark(of: piece), fingerprint: marker.fingerprint(of: piece))
        }
    }

    /// Traces as they are stored.
    static func encode(_ traces: [ErasedTrace]) -> Data {
        var data = Data(capacity: traces.count * Self.encodedLength)
        for trace in traces {
            data.append(UInt8(trace.length))
            withUnsafeBytes(of: trace.mark.bigEndian) { data.append(contentsOf: $0) }
            data.append(trace.fingerprint)
        }
        return data
    }

    /// Traces from what is stored; `nil` if it is none.
    static func decode(_ data: Data) -> [ErasedTrace]? {
        let bytes = [UInt8](data)
        guard bytes.count.isMultiple(of: Self.encodedLength) else { return nil }
        var traces: [ErasedTrace] = []
        for start in stride(from: 0, to: bytes.count, by: Self.encodedLength) {
            let length = Int(bytes[start])
            guard Self.lengths.contains(length) else { return nil }
            let mark = bytes[(start + 1)..<(start + 5)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let fingerprint = Data(bytes[(start + 5)..<(start + Self.encodedLength)])
            traces.append(ErasedTrace(length: length, mark: mark, fingerprint: fingerprint))
        }
        return traces
    }

    /// Makes marks and fingerprints by the key of a sandbox.
    struct TraceMarker: Sendable {
        let vault: Vault
        /// What six bytes are mixed with, so that marks tell nothing without the key.
        let mask: UInt64
        let factor: UInt64

        init(_ vault: Vault) {
            self.vault = vault
            let key = [UInt8](vault.fingerprint(Data(), purpose: Vault.Purpose.trace))
            let number = { (range: Range<Int>) in key[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
            self.mask = number(0..<8)
            self.factor = number(8..<16) | 1
        }

        func mark(of piece: Data) -> UInt32 {
            let window = piece.suffix(ErasedTrace.markedLength).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return UInt32(truncatingIfNeeded: ((window ^ self.mask) &* self.factor) >> 32)
        }

        func fingerprint(of piece: Data) -> Data {
            Data(self.vault.fingerprint(piece, purpose: Vault.Purpose.trace).prefix(ErasedTrace.fingerprintLength))
        }
    }
}

/// Runs a C function that reports its failure as a text in a buffer of ours.
func withNativeMessage<Status>(
    _ body: (UnsafeMutablePointer<CChar>?, Int) -> Status
) -> (status: Status, message: String) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        buffer.initialize(repeating: 0)
        let status = body(buffer.baseAddress, buffer.count)
        let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return (status, String(decoding: text, as: UTF8.self))
    }
}

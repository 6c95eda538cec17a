import Foundation

/// What libFuzzer calls with every input; a broken rule of the oracle is a trap, which libFuzzer reports with the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try FormOracle.check(Data(UnsafeBufferPointer(start: start, count: count)))
        return 0
    } catch {
        fatalError("The parser broke a rule: \(error)")
    }
}

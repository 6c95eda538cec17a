import CConfinement

/// What a process that decodes pictures for another may still use, once it is confined.
///
/// ```swift
/// let confinement = DecoderConfinement(limits: limits, outputBytes: settings.byteBudget)
/// guard confinement.apply(keepingDescriptorsThrough: 3) else { return }  // decode nothing
/// ```
package struct DecoderConfinement: Hashable, Sendable {
    /// Memory beyond what is in use when it is applied, in bytes.
    package var memoryBytes: Int
    /// Processor time beyond which the process is killed, in seconds.
    package var processorSeconds: Int
    /// The largest file it may write, in bytes.
    package var fileBytes: Int

    /// What the limits of a picture need: decoding, as much again for encoding and copies, and time for both.
    ///
    /// - Parameter outputBytes: the largest picture that may come of it.
    package init(limits: ImagingLimits, outputBytes: Int) {
        self.memoryBytes = limits.maximumDecodeMemoryBytes + 2 * outputBytes + (64 << 20)
        self.processorSeconds = Int(limits.maximumDecodeTime.components.seconds) + 5
        self.fileBytes = outputBytes + (64 << 10)
    }

    /// Confines this process for good: limits, no new descriptors, processes or privileges, no dumps.
    ///
    /// - Parameter last: the last descriptor that stays open.
    /// - Returns: whether everything holds; if not, nothing must be decoded.
    package func apply(keepingDescriptorsThrough last: Int32) -> Bool {
        var limits = idc_confinement()
        limits.memory_bytes = UInt64(self.memoryBytes)
        limits.cpu_seconds = UInt64(self.processorSeconds)
        limits.file_bytes = UInt64(self.fileBytes)
        return idc_confine(&limits, last) == 0
    }

    /// Lets this process end with the thread that started it.
    ///
    /// - Returns: whether that holds.
    package static func dieWithParent() -> Bool { idc_die_with_parent() == 0 }

    /// Keeps the memory of this process out of core dumps and other processes' reach.
    ///
    /// - Returns: whether that holds.
    package static func refuseDumps() -> Bool { idc_refuse_dumps() == 0 }
}

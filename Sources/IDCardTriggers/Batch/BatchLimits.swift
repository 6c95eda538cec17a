/// How much a batch source takes from outside before it refuses.
package struct BatchLimits: Hashable, Sendable {
    /// The most inputs of one run, ignored ones included.
    package var inputs: Int
    /// The largest sidecar in bytes.
    package var sidecarBytes: Int
    /// The largest manifest in bytes.
    package var manifestBytes: Int
    /// The largest row of a manifest in bytes.
    package var recordBytes: Int
    /// How many bytes at the start of a file are looked at to tell an image.
    package var sniffBytes: Int

    /// Sets limits; the defaults are 1,000,000 inputs, 64 KiB, 256 MiB, 64 KiB and 4 KiB.
    package init(
        inputs: Int = 1_000_000,
        sidecarBytes: Int = 65_536,
        manifestBytes: Int = 268_435_456,
        recordBytes: Int = 65_536,
        sniffBytes: Int = 4096
    ) {
        precondition(
            min(inputs, sidecarBytes, manifestBytes, recordBytes, sniffBytes) > 0,
            "a limit of a batch source is at least 1"
        )
        self.inputs = inputs
        self.sidecarBytes = sidecarBytes
        self.manifestBytes = manifestBytes
        self.recordBytes = recordBytes
        self.sniffBytes = sniffBytes
    }
}

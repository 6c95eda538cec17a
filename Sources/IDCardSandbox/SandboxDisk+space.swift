import IDCardPipeline

extension SandboxDisk {
    /// How much room there is for more work.
    ///
    /// - Parameter used: the bytes in use in the database and its log.
    func space(used: Int) -> StoreSpace {
        let free = self.free
        if free < self.storage.workFreeSpace {
            return .critical(
                message: "the disk of the sandbox has \(Self.mebibytes(free)) free, less than sandbox.work_free_space "
                    + "(\(Self.mebibytes(self.storage.workFreeSpace))): only delivery and erasing go on; free some space"
            )
        }
        if free < self.storage.intakeFreeSpace {
            return .low(
                message: "the disk of the sandbox has \(Self.mebibytes(free)) free, less than "
                    + "sandbox.intake_free_space (\(Self.mebibytes(self.storage.intakeFreeSpace))): nothing more is "
                    + "taken in; free some space"
            )
        }
        if self.storage.maximumBytes > 0, used >= self.storage.maximumBytes {
            return .low(
                message: "the sandbox uses \(Self.mebibytes(used)), as much as sandbox.max_bytes allows "
                    + "(\(Self.mebibytes(self.storage.maximumBytes))): nothing more is taken in; erase cards or raise it"
            )
        }
        guard self.hasReserve() else {
            return .low(
                message:
                    "the sandbox has used up its reserve (sandbox.ballast) and finds no room for a new one: nothing "
                    + "more is taken in; free some space"
            )
        }
        return .ample
    }

    /// Whole and tenths: `63.9 MiB`.
    private static func mebibytes(_ bytes: Int) -> String {
        let tenths = bytes / ((1 << 20) / 10)
        return "\(tenths / 10).\(tenths % 10) MiB"
    }
}

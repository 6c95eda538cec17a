package import IDCardPipeline

extension SandboxStore {
    package func makeSpool() throws -> any SourceSpool {
        // Of a sandbox that is only looked at, nothing is taken in.
        _ = try self.writer
        return SandboxSpool(directory: self.directory.path)
    }
}

package import IDCardPipeline

extension SandboxStore {
    package func space() async -> StoreSpace { .ample }
}

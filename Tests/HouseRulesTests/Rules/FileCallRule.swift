/// Checks that the sandbox calls the system on a path only where root does so as the owner of the folder.
enum FileCallRule {
    /// The files that make these calls for all others.
    private static let exempt = ["FileCall.swift", "SandboxDirectory+owner.swift"]

    private static var call: Regex<Substring> {
        #/(?:^|[^\w.]|\bGlibc\.)(?:open|unlink|mkdir|opendir|rename|link|chmod|lstat|access|rmdir)\([^)]/#
    }

    /// Checks one Swift file of the sandbox.
    static func findings(in source: SourceText) -> [Finding] {
        guard !self.exempt.contains(where: { source.path.hasSuffix("/\($0)") }) else { return [] }
        return source.code.enumerated().compactMap { index, line in
            guard !line.mentions("func "), line.contains(self.call) else { return nil }
            return source.finding(at: index, "a call on a path that is not made through FileCall")
        }
    }
}

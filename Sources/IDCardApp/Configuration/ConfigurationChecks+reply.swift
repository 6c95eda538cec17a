extension ConfigurationChecks {
    /// A key for encrypted replies, from one place and of a length that triple DES takes.
    var replyProblems: [ConfigurationError.Problem] {
        let paths = ["delivery.reply.key", "delivery.reply.key_file"]
        let entries = paths.compactMap { self.values[$0] }
        let set = entries.filter { $0.value != nil }
        if set.count > 1 {
            let names = set.map { "\($0.key.path) (from \($0.source.rawValue))" }.joined(separator: " and ")
            return [.init(.conflict, key: paths[1], "\(names) exclude each other: keep one")]
        }
        guard !self.embedded, let encryption = self.values.find("delivery.reply.encryption", \.text),
            encryption != "none"
        else { return [] }
        guard let source = ReplyKeySource(self.values) else {
            // A key that could not be read is a problem of its own.
            guard entries.count == paths.count else { return [] }
            let message =
                "delivery.reply.encryption is \(encryption): set delivery.reply.key_file or delivery.reply.key"
            return [.init(.missing, key: paths[0], message)]
        }
        guard self.readsFiles else { return [] }
        do throws(ConfigurationError.Problem) {
            _ = try source.checked()
            return []
        } catch {
            return [error]
        }
    }
}

import CardEngine
import CardInput
import CardModel
import CardRemote

extension Configuration {
    /// What holds for all photos: what options say of each, where their numbers come from, what is never an input.
    func inputs(_ fields: SubmittedFields = SubmittedFields(), rule: BusinessNumberRule? = nil) throws(CodedError)
        -> BatchOptions
    {
        var options = BatchOptions()
        options.fields = fields
        options.businessNumberRule = if let rule { rule } else { try BusinessNumberRule(self.businessNumberFrom) }
        options.sandbox = self.sandboxPath
        return options
    }

    /// The folders to watch, and how; those of the command line take the place of the configured ones.
    ///
    /// - Parameter waiting: whether a folder that cannot be opened is waited for.
    /// - Throws: `CodedError` for the first folder that cannot be watched.
    func watchOptions(
        folders: [String] = [],
        fields: SubmittedFields = SubmittedFields(),
        waiting: Bool = false
    ) throws(CodedError) -> WatchOptions {
        var options = self.watch
        if !folders.isEmpty { options.folders = folders }
        options.inputs = try self.inputs(fields)
        let problems = options.problems().filter { !waiting || $0.code != .watchFolderMissing }
        if let problem = problems.first { throw problem }
        return options
    }

    /// Lists the inputs of a source, and refuses what could never go its way.
    func listing(of source: BatchSource) throws(CodedError) -> BatchListing {
        let check = self.fetch.addressCheck()
        return try source.listing().refusing { item in
            // Refused here, an address that is not allowed leaves nothing behind.
            if case .address(let address) = item.place, let error = check(address) { return error }
            return self.requireAccount(item)
        }
    }

    /// Refuses a photo without a user account where the backend needs one: it would be verified, paid for, and then wait for
    /// ever.
    func requireAccount(_ item: InputItem) -> CodedError? {
        guard self.delivery != nil, !self.engine.hasDefaultUserNumber,
            item.metadata.userNumber?.reveal().isEmpty ?? true
        else { return nil }
        return CodedError(.userNumberMissing, .input, .runNoUser)
    }
}

package import CardModel

extension FetchSettings {
    /// Makes a check of addresses before anything is fetched: it says why one is forbidden, `nil` if it is not.
    package func addressCheck() -> (Redacted<String>) -> CodedError? {
        let rules = FetchRules(self)
        return { address in
            do throws(CodedError) {
                _ = try rules.check(address.reveal())
                return nil
            } catch {
                return error
            }
        }
    }
}

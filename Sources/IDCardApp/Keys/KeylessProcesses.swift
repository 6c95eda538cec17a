import IDCardSandbox

/// Living processes do not have the new key, so it is not put to use.
struct KeylessProcesses: Error {
    /// The id of the new key.
    let key: String
    let processes: [SandboxStore.KeylessProcess]

    /// Names the processes and the remedy.
    var message: String {
        let names = self.processes.map { "\($0.name), since \($0.startedAt)" }.joined(separator: "; ")
        return
            "the new key \(self.key) is not put to use, because \(self.processes.count == 1 ? "a process has" : "processes have") "
            + "not read it: \(names). A process with a copy of the key (LoadCredential, IDCARD_VAULT_KEY) needs the new "
            + "copy and a restart, any other reads its source by itself or at SIGHUP. Then run: idcard-pipeline keys rotate "
            + "--finish (with --force it starts all the same: such a process then answers 503 until it has the key)"
    }
}

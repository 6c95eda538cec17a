import CardModel
import Foundation
import Glibc
import Testing

/// Who may have rights to a file with a secret: one rule for keys, tokens and certificates.
struct SecretRightsTests {
    private struct Case {
        let mode: mode_t
        let owner: uid_t
        let group: gid_t
        /// What the refusal names; `nil` if the file is fine.
        let says: String?
    }

    /// What is said of a file of these rights; the process decides by its own user and groups.
    private static func refusal(_ file: Case) -> String? {
        var status = stat()
        (status.st_mode, status.st_uid, status.st_gid) = (S_IFREG | file.mode, file.owner, file.group)
        return SecretRights.refusal(of: "/run/secret", status)?.text()
    }

    private static func check(_ cases: [Case]) -> String? {
        for file in cases {
            let refusal = self.refusal(file)
            guard let says = file.says else {
                if let refusal { return "\(file): \(refusal)" }
                continue
            }
            if refusal?.contains(says) != true { return "\(file): \(refusal ?? "accepted")" }
        }
        return nil
    }

    @Test func `A file is its user's alone, and what is open to others says how to close it`() {
        let (user, group) = (geteuid(), getegid())
        let wrong = Self.check([
            Case(mode: 0o600, owner: user, group: group, says: nil),
            Case(mode: 0o400, owner: user, group: 4711, says: nil),
            Case(
                mode: 0o644,
                owner: user,
                group: group,
                says: "mode 0644, so others have rights to it; run: chmod 600 /run/secret"
            ),
            Case(mode: 0o600, owner: 4711, group: group, says: "chown \(user) /run/secret"),
        ])
        #expect(wrong == nil)
    }

    @Test(.enabled(if: geteuid() == 0)) func `Root lets its own group read a file, and no other`() {
        let wrong = Self.check([
            Case(mode: 0o640, owner: 0, group: getegid(), says: nil),
            Case(mode: 0o640, owner: 0, group: 4711, says: "chmod 600"),
            Case(mode: 0o660, owner: 0, group: getegid(), says: "chmod 600"),
        ])
        #expect(wrong == nil)
    }

    @Test(.enabled(if: geteuid() == 0)) func `A service reads files of root through one of its groups alone`() async {
        await #expect(processExitsWith: .success) {
            var groups: [gid_t] = [2000]
            guard setgroups(1, &groups) == 0, setgid(1000) == 0, setuid(1000) == 0 else { exit(1) }
            let wrong = SecretRightsTests.check([
                // As Kubernetes mounts them with fsGroup.
                Case(mode: 0o440, owner: 0, group: 2000, says: nil),
                Case(mode: 0o640, owner: 0, group: 1000, says: nil),
                Case(mode: 0o440, owner: 0, group: 4711, says: "fsGroup"),
                Case(mode: 0o644, owner: 0, group: 2000, says: "mode 0440"),
                Case(mode: 0o640, owner: 1000, group: 1000, says: "chmod 600"),
            ])
            guard wrong == nil else { fatalError(wrong ?? "") }
        }
    }
}

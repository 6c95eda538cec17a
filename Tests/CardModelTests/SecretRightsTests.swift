import CardModel
import Foundation
import Glibc
import Testing

/// Who may have rights to a file with a secret: one rule for keys, tokens and certificates.
struct SecretRightsTests {
    /// A file's mode, owner and group, and what the refusal names; `nil` if the file is fine.
    private typealias File = (mode: mode_t, owner: uid_t, group: gid_t, says: String?)

    /// The first of some files of which something else is said; the process decides by its own user and groups.
    private static func check(_ files: [File]) -> String? {
        for file in files {
            var status = stat()
            (status.st_mode, status.st_uid, status.st_gid) = (S_IFREG | file.mode, file.owner, file.group)
            let refusal = SecretRights.refusal(of: "/run/secret", status)?.text()
            let isExpected = file.says.map { refusal?.contains($0) == true } ?? (refusal == nil)
            if !isExpected { return "\(file): \(refusal ?? "accepted")" }
        }
        return nil
    }

    @Test func `A file is its user's alone, and what is open to others says how to close it`() {
        let (user, group) = (geteuid(), getegid())
        let wrong = Self.check([
            (0o600, user, group, nil),
            (0o400, user, 4711, nil),
            (0o644, user, group, "others can read or change /run/secret (mode 0644); run: chmod 600 /run/secret"),
            (0o600, 4711, group, "chown \(user) /run/secret"),
        ])
        #expect(wrong == nil)
    }

    @Test(.enabled(if: geteuid() == 0)) func `Root lets its own group read a file, and no other`() {
        let wrong = Self.check([
            (0o640, 0, getegid(), nil),
            (0o640, 0, 4711, "chmod 600"),
            (0o660, 0, getegid(), "chmod 600"),
        ])
        #expect(wrong == nil)
    }

    @Test(.enabled(if: geteuid() == 0)) func `A service reads files of root through one of its groups alone`() async {
        await #expect(processExitsWith: .success) {
            var groups: [gid_t] = [2000]
            guard setgroups(1, &groups) == 0, setgid(1000) == 0, setuid(1000) == 0 else { exit(1) }
            let wrong = SecretRightsTests.check([
                // As Kubernetes mounts them with fsGroup.
                (0o440, 0, 2000, nil),
                (0o640, 0, 1000, nil),
                (0o440, 0, 4711, "fsGroup"),
                (0o644, 0, 2000, "mode to 0440"),
                (0o640, 1000, 1000, "chmod 600"),
            ])
            guard wrong == nil else { fatalError(wrong ?? "") }
        }
    }
}

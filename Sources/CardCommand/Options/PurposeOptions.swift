import ArgumentParser
import CardModel
import CardStore
import Foundation
import Glibc

/// The purpose of an access to personal data, for the access log.
struct PurposeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The reason, for the access log.",
            discussion: "Such as a ticket number. At most 200 characters, without the holder's name or number.",
            valueName: "text"
        )
    )
    var why: String?

    func validate() throws {
        guard let why, why.count > 200 else { return }
        throw ValidationError(.optionsWhy(why.count))
    }

    func origin(of command: String) throws(CodedError) -> AccessOrigin {
        try SystemUser.origin(of: command, why: self.why)
    }
}

/// The person who runs this process, for the access log.
enum SystemUser {
    /// - Throws: `CodedError` `purpose_personal`.
    static func origin(of command: String, why: String? = nil) throws(CodedError) -> AccessOrigin {
        let caller = Caller(subject: self.subject, scopes: Caller.process.scopes)
        return try AccessOrigin(caller, actor: "\(self.name):\(command)", purpose: why)
    }

    /// The user who logged in; `nil` in a container, in a service, and if the system keeps no record of it.
    private static let login: String? = {
        let user = (try? String(contentsOfFile: "/proc/self/loginuid", encoding: .utf8)).flatMap { uid_t($0.trimmed) }
        // All bits set: no login.
        return user.flatMap { $0 == uid_t.max ? nil : Self.name(of: $0) }
    }()

    /// The user of this process, read before root becomes the owner of a sandbox.
    private static let own: (name: String, uid: uid_t) = (Self.name(of: getuid()) ?? "uid-\(getuid())", getuid())

    /// The identity of the person: the login, else the user of the process; never a variable, which could name any user.
    static let subject = "user:\(Self.login ?? Self.own.name)"

    /// The person's name for the access log, with the user of the process if that is another one. `SUDO_USER` counts only
    /// for root, who can write anything anyway.
    static let name: String = {
        let sudo = ProcessInfo.processInfo.environment["SUDO_USER"].flatMap { getpwnam($0) == nil ? nil : $0 }
        let name = Self.login ?? (Self.own.uid == 0 ? sudo : nil) ?? Self.own.name
        return name == Self.own.name ? name : "\(name) (uid \(Self.own.uid))"
    }()

    private static func name(of user: uid_t) -> String? {
        getpwuid(user).flatMap { $0.pointee.pw_name }.map { String(cString: $0) }
    }
}

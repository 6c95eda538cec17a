import ArgumentParser
import Foundation
import Glibc
import IDCardPipeline

/// Why somebody touches personal data, for the access log.
struct PurposeOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Why, for the access log.",
            discussion: "Such as a ticket number; up to 200 characters, and never the holder's name or number.",
            valueName: "text"
        )
    )
    var why: String?

    func validate() throws {
        guard let why = self.why else { return }
        guard why.count <= AccessOrigin.maximumLength else {
            throw ValidationError("--why has up to \(AccessOrigin.maximumLength) characters, got \(why.count).")
        }
    }

    /// Who is at work, by a command and why.
    func origin(of command: String) -> AccessOrigin {
        AccessOrigin(actor: "\(Self.userName):\(command)", purpose: self.why)
    }

    /// The name of the user that the system knows for this process, else its number.
    private static var userName: String {
        let number = geteuid()
        guard let entry = getpwuid(number), let name = entry.pointee.pw_name else { return "uid-\(number)" }
        return String(cString: name)
    }
}

import CImaging
import CardModel
import Foundation
import Glibc

/// This binary as the child that decodes one image for the process that started it; not for people.
///
/// Standard input and output are nameless files in memory. Nothing about the image stands in arguments or environment.
/// It is no subcommand: those run on threads of the concurrency runtime, whose library traps when it may open no
/// descriptor any more.
package enum DecodingChild {
    static let argument = "decode-image"

    /// Does the work and ends the process, if that is what the arguments ask for; call it before any thread is started.
    package static func runIfAsked(_ arguments: [String]) {
        guard arguments.count == 2, arguments[1] == Self.argument else { return }
        // Nothing that stands in a buffer anywhere is to be written.
        _exit(idci_die_with_parent() == 0 ? Self.answer() : EX_OSERR)
    }

    /// Keeps the memory of this process out of core dumps and of other processes' reach; returns whether that holds.
    package static func refuseDumps() -> Bool { idci_refuse_dumps() == 0 }

    /// Reads the request from standard input, confines this process, and writes the answer to standard output; returns
    /// the status to end with.
    static func answer() -> Int32 {
        guard let input = AnonymousFile(descriptor: STDIN_FILENO).contents(),
            let (request, source) = Framed.split(input, as: DecodeRequest.self)
        else { return EX_USAGE }
        guard Self.confine(request) else { return EX_OSERR }
        guard let reply = try? Self.reply(to: source, request) else { return EX_SOFTWARE }
        return AnonymousFile(descriptor: STDOUT_FILENO).write(reply) ? 0 : EX_IOERR
    }

    /// Limits, no system call that reaches beyond this process, no dumps: before a byte of the image is looked at.
    private static func confine(_ request: DecodeRequest) -> Bool {
        let output = request.settings.byteBudget
        // Decoding, as much again for encoding and copies, and time for both.
        var confinement = idci_confinement()
        confinement.memory_bytes = UInt64(request.limits.maxDecodeBytes + 2 * output + ImagingLimits.childBytes)
        confinement.cpu_seconds = UInt64(request.limits.maxDecodeTime.components.seconds) + 5
        confinement.file_bytes = UInt64(output + 4 * ImagingLimits.maxHeaderBytes)
        return idci_confine(&confinement) == 0
    }

    private static func reply(to source: Data, _ request: DecodeRequest) throws -> Data {
        var recompressor = ImageRecompressor(settings: request.settings)
        recompressor.limits = request.limits
        let image: PreparedImage
        do throws(CodedError) {
            image = try recompressor.prepare(source)
        } catch {
            return try Framed.join(DecodeReply(refusal: .init(code: error.code, message: error.message)), Data())
        }
        return try Framed.join(DecodeReply(width: image.width, height: image.height), image.jpeg)
    }
}

/// What the child is asked to do; the image follows it.
struct DecodeRequest: Codable {
    var settings: ImagingSettings
    var limits: ImagingLimits
}

/// What the child answers; the image follows it if there is one.
struct DecodeReply: Codable {
    struct Refusal: Codable {
        var code: ReasonCode
        var message: Message
    }

    var width = 0
    var height = 0
    var refusal: Refusal?
}

/// A line of JSON with bytes after it: what goes to the child and comes from it.
enum Framed {
    static func join(_ header: some Encodable, _ body: Data) throws -> Data {
        var framed = try JSONEncoder().encode(header)
        framed.append(UInt8(ascii: "\n"))
        framed.append(body)
        return framed
    }

    /// Takes them apart again; nil if this is not such a thing.
    static func split<Header: Decodable>(_ framed: Data, as type: Header.Type) -> (Header, Data)? {
        guard let end = framed.prefix(ImagingLimits.maxHeaderBytes).firstIndex(of: UInt8(ascii: "\n")),
            let header = try? JSONDecoder().decode(type, from: framed[framed.startIndex..<end])
        else { return nil }
        return (header, framed[(end + 1)...])
    }
}

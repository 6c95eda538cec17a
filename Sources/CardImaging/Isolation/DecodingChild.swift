import CImaging
import CardModel
import Foundation
import Glibc

/// Runs this binary as the child that decodes one image for its parent; not a command for users.
///
/// Standard input and output are nameless files in memory. Arguments and environment hold nothing about the image. It
/// is not a subcommand: those run on threads of the concurrency runtime, whose library traps when it can no longer open
/// a descriptor.
package enum DecodingChild {
    static let argument = "decode-image"

    /// Decodes and exits the process if the arguments request that; call it before any thread is started.
    package static func runIfAsked(_ arguments: [String]) {
        guard arguments.count == 2, arguments[1] == Self.argument else { return }
        // `_exit`, so that no buffer is flushed.
        _exit(idci_die_with_parent() == 0 ? Self.answer() : EX_OSERR)
    }

    /// Protects the memory of this process from core dumps and other processes; returns whether that succeeded.
    package static func refuseDumps() -> Bool { idci_refuse_dumps() == 0 }

    /// Reads the request from standard input, confines this process, and writes the answer to standard output; returns
    /// the exit status.
    static func answer() -> Int32 {
        guard let input = AnonymousFile(descriptor: STDIN_FILENO).contents(),
            let (request, source) = Framed.split(input, as: DecodeRequest.self)
        else { return EX_USAGE }
        guard Self.confine(request) else { return EX_OSERR }
        guard let reply = try? Self.reply(to: source, request) else { return EX_SOFTWARE }
        return AnonymousFile(descriptor: STDOUT_FILENO).write(reply) ? 0 : EX_IOERR
    }

    /// Applies limits, forbids dumps and system calls beyond this process: before a byte of the image is decoded.
    private static func confine(_ request: DecodeRequest) -> Bool {
        let output = request.settings.byteBudget
        // Memory for decoding, for two copies of the output and for the child; processor time for decoding and
        // encoding.
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

/// The request to the child; the image follows it.
struct DecodeRequest: Codable {
    var settings: ImagingSettings
    var limits: ImagingLimits
}

/// The answer of the child; the image follows it if there is one.
struct DecodeReply: Codable {
    struct Refusal: Codable {
        var code: ReasonCode
        var message: Message
    }

    var width = 0
    var height = 0
    var refusal: Refusal?
}

/// A line of JSON with bytes after it: the format of requests to the child and of its answers.
enum Framed {
    static func join(_ header: some Encodable, _ body: Data) throws -> Data {
        var framed = try JSONEncoder().encode(header)
        framed.append(UInt8(ascii: "\n"))
        framed.append(body)
        return framed
    }

    /// Returns the header and the bytes; nil if the format is wrong.
    static func split<Header: Decodable>(_ framed: Data, as type: Header.Type) -> (Header, Data)? {
        guard let end = framed.prefix(ImagingLimits.maxHeaderBytes).firstIndex(of: UInt8(ascii: "\n")),
            let header = try? JSONDecoder().decode(type, from: framed[framed.startIndex..<end])
        else { return nil }
        return (header, framed[(end + 1)...])
    }
}

import Foundation
import Glibc
import IDCardImaging

/// `decode-image`: this binary as the child that recompresses one image for the process that started it; not for people.
///
/// Standard input and output are nameless files in memory. Nothing about the image stands in arguments or environment.
/// It is no subcommand: those run on threads of the concurrency runtime, whose library traps when it may open no
/// descriptor any more.
package enum DecodingChild {
    /// The only argument.
    static let argument = "decode-image"

    /// The descriptor by whose end the parent learns of ours.
    private static let lifeline: Int32 = 3

    /// Does the work and ends the process, if that is what the arguments ask for; to be called before any thread is
    /// started.
    package static func runIfAsked(_ arguments: [String]) {
        guard arguments.count == 2, arguments[1] == Self.argument else { return }
        // Nothing that stands in a buffer anywhere is to be written.
        _exit(Self.run())
    }

    private static func run() -> Int32 {
        guard let input = AnonymousFile(descriptor: STDIN_FILENO).contents(),
            let (request, source) = FramedBytes.split(input, as: DecodeRequest.self)
        else {
            Console.standardError("error: decode-image is for idcard-pipeline itself; use run")
            return EX_USAGE
        }
        let recompressor = request.recompressor
        let confinement = DecoderConfinement(limits: recompressor.limits, outputBytes: request.byteBudget)
        guard DecoderConfinement.dieWithParent(), confinement.apply(keepingDescriptorsThrough: Self.lifeline) else {
            return EX_OSERR
        }
        guard let reply = try? Self.reply(to: source, by: recompressor) else { return EX_SOFTWARE }
        return AnonymousFile(descriptor: STDOUT_FILENO).write(reply) ? 0 : EX_IOERR
    }

    private static func reply(to source: Data, by recompressor: ImageRecompressor) throws -> Data {
        let image: RecompressedImage
        do throws(ImagingError) {
            image = try recompressor.recompress(source)
        } catch {
            return try FramedBytes.join(DecodeReply(error), Data())
        }
        return try FramedBytes.join(DecodeReply(image), image.jpeg)
    }
}

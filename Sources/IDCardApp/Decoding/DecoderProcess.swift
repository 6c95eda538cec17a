import Foundation
import Glibc
import IDCardCore
import IDCardImaging
import IDCardPipeline

/// Decodes images in a child: our own binary, under limits that it sets itself before it looks at a byte.
struct DecoderProcess: Sendable {
    /// The binary; by default the one that runs, even if its file has been replaced since.
    var executable = "/proc/self/exe"
    var limits: ImagingLimits

    /// Recompresses an image; the same bytes come of it as in this process.
    func decode(_ source: Data, _ settings: RecompressionSettings) -> ImagePreparation.Outcome {
        guard let input = AnonymousFile.make() else { return Self.notStarted }
        defer { input.close() }
        guard let output = AnonymousFile.make() else { return Self.notStarted }
        defer { output.close() }
        guard
            let request = try? FramedBytes.join(DecodeRequest(settings: settings, limits: self.limits), source),
            input.write(request)
        else { return Self.notStarted }
        let child = ConfinedChild(
            executable: self.executable,
            arguments: [DecodingChild.argument],
            timeout: self.timeout
        )
        let end = child.run(input: input, output: output)
        switch end {
        case .exited(0): return Self.outcome(in: output, limit: settings.byteBudget)
        case .exited, .notStarted: return Self.notStarted
        // Whoever is short of memory or shuts down kills too, and a stopped child takes for ever: no word on the image.
        case .killed: return end.isOwnDeath ? Self.crashed : Self.stopped
        case .timedOut: return Self.stopped
        }
    }

    /// Longer than the decoder's own limits of time, also where many share a processor.
    private var timeout: Duration { self.limits.maximumDecodeTime * 3 + .seconds(20) }

    private static func outcome(in output: AnonymousFile, limit: Int) -> ImagePreparation.Outcome {
        // An answer that makes no sense comes of a decoder that has lost its mind.
        guard let framed = output.contents(limit: limit + (64 << 10)),
            let (reply, body) = FramedBytes.split(framed, as: DecodeReply.self)
        else { return Self.crashed }
        if let code = reply.code, let message = reply.message {
            let reason = ReasonCode(rawValue: code)
            return reply.mayPass ? .unavailable(reason, message: message) : .refused(reason, message: message)
        }
        guard let width = reply.width, let height = reply.height, width > 0, height > 0, body.count <= limit,
            ImageFormat.sniff(body) == .jpeg
        else { return Self.crashed }
        let jpeg = Data(body)
        return .prepared(PreparedImage(jpeg: jpeg, width: width, height: height, digest: ContentDigest(of: jpeg)))
    }

    private static let crashed = ImagePreparation.Outcome.refused(
        .decoderCrashed,
        message: "decoding the image brought the decoder down; supply another photo of the card"
    )

    private static let stopped = ImagePreparation.Outcome.unavailable(
        ReasonCode(rawValue: "decoder_unavailable"),
        message: "the process that decodes images was stopped from outside or took too long; see to memory and load, "
            + "then run again"
    )

    private static let notStarted = ImagePreparation.Outcome.unavailable(
        ReasonCode(rawValue: "decoder_unavailable"),
        message: "the process that decodes images cannot be started; see to memory and limits, then run again"
    )
}

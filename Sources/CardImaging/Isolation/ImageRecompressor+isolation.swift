package import CardModel
package import Foundation

extension ImageRecompressor {
    /// Prepares a photo in a child: our own binary, under limits that it sets itself before it looks at a byte. The
    /// same bytes come of it as of ``prepare(_:)``.
    ///
    /// - Throws: As ``prepare(_:)``; `decoder_crashed` (kind `input`) when the image brings the child down,
    ///   `decoder_unavailable` (kind `temporary`) when it cannot be started or is stopped from outside.
    package func prepareIsolated(_ source: Data) throws(CodedError) -> PreparedImage {
        guard let input = AnonymousFile.make() else { throw Self.notStarted }
        defer { input.close() }
        guard let output = AnonymousFile.make() else { throw Self.notStarted }
        defer { output.close() }
        let request = DecodeRequest(settings: self.settings, limits: self.limits)
        guard let framed = try? Framed.join(request, source), input.write(framed) else { throw Self.notStarted }
        let child = ConfinedChild(command: self.command, timeout: self.limits.childTimeout)
        let end = child.run(input: input, output: output)
        switch end {
        case .exited(0): return try self.image(in: output)
        case .exited, .notStarted: throw Self.notStarted
        // Whoever is short of memory or shuts down kills too, and a stopped child takes for ever: no word on the image.
        case .killed: throw end.isOwnDeath ? Self.crashed : Self.stopped
        case .timedOut: throw Self.stopped
        }
    }

    private func image(in output: AnonymousFile) throws(CodedError) -> PreparedImage {
        let limit = self.settings.byteBudget
        // An answer that makes no sense comes of a decoder that has lost its mind.
        guard let framed = output.contents(limit: limit + ImagingLimits.maxHeaderBytes),
            let (reply, body) = Framed.split(framed, as: DecodeReply.self)
        else { throw Self.crashed }
        if let refusal = reply.refusal {
            throw CodedError(refusal.code, refusal.isTemporary ? .temporary : .input, refusal.message)
        }
        guard reply.width > 0, reply.height > 0, body.count <= limit, ImageFormat.sniff(body) == .jpeg else {
            throw Self.crashed
        }
        return PreparedImage(Data(body), PixelSize(width: reply.width, height: reply.height))
    }

    private static let crashed = CodedError(.decoderCrashed, .input, .imageDecoderCrashed)

    private static let stopped = CodedError(.decoderUnavailable, .temporary, .imageDecoderStopped)

    private static let notStarted = CodedError(.decoderUnavailable, .temporary, .imageNoDecoder)
}

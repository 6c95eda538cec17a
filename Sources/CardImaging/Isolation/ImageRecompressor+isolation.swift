package import CardModel
package import Foundation

extension ImageRecompressor {
    /// Prepares a photo in a confined child process, with the same result as ``prepare(_:)``.
    ///
    /// The child is this binary; it limits itself before it reads a byte of the image.
    ///
    /// - Throws: As ``prepare(_:)``; `decoder_crashed` (kind `input`) when the image crashes the child,
    ///   `decoder_unavailable` (kind `temporary`) when it cannot be started or is stopped from outside.
    package func prepareIsolated(_ source: Data) throws(CodedError) -> PreparedImage {
        try self.checkSource(source)
        return try self.decoding(source) { (outcome, output) throws(CodedError) in
            switch outcome {
            case .exited(0): return try self.image(in: output)
            case .exited, .notStarted: throw Self.notStarted
            // The OOM killer and a shutdown send SIGKILL, too, and a stopped child times out: no verdict on the image.
            case .killed: throw outcome.isOwnFault ? Self.crashed : Self.stopped
            case .timedOut: throw Self.stopped
            }
        }
    }

    /// Whether the system lets a child confine itself; tried without an image.
    package var canIsolate: Bool {
        (try? self.decoding(Data()) { (outcome, _) throws(CodedError) in outcome == .exited(0) }) ?? false
    }

    /// Runs a child on source bytes, and passes its outcome and its output to `body`.
    private func decoding<Value>(
        _ source: Data,
        _ body: (ConfinedChild.Outcome, AnonymousFile) throws(CodedError) -> Value
    ) throws(CodedError) -> Value {
        guard let input = AnonymousFile.make() else { throw Self.notStarted }
        defer { input.close() }
        guard let output = AnonymousFile.make() else { throw Self.notStarted }
        defer { output.close() }
        let request = DecodeRequest(settings: self.settings, limits: self.limits)
        guard let framed = try? Framed.join(request, source), input.write(framed) else { throw Self.notStarted }
        let child = ConfinedChild(command: self.command, timeout: self.limits.childTimeout)
        return try body(child.run(input: input, output: output), output)
    }

    private func image(in output: AnonymousFile) throws(CodedError) -> PreparedImage {
        let limit = self.settings.byteBudget
        // A malformed answer counts as a crash.
        guard let framed = output.contents(limit: limit + ImagingLimits.maxHeaderBytes),
            let (reply, body) = Framed.split(framed, as: DecodeReply.self)
        else { throw Self.crashed }
        if let refusal = reply.refusal {
            guard let trusted = Self.trusted(refusal) else { throw Self.crashed }
            throw trusted
        }
        guard reply.width > 0, reply.height > 0, body.count <= limit, ImageFormat.sniff(body) == .jpeg else {
            throw Self.crashed
        }
        return PreparedImage(Data(body), PixelSize(width: reply.width, height: reply.height))
    }

    /// The errors accepted from a child, which the image may have compromised: only numbers in the texts may differ.
    private static let refusals: [CodedError] = [
        CodedError(.imageCorrupt, .input, .imageCorrupt("")), CodedError(.imageCorrupt, .input, .fileTextMode),
        CodedError(.imageTruncated, .input, .imageTruncated),
        CodedError(.imageUnsupportedCoding, .input, .imageNoHeight),
        CodedError(.imageUnsupportedCoding, .input, .imageApplePNG),
        CodedError(.imageUnsupportedCoding, .input, .imageUnsupported("", "")),
        CodedError(.imageTooManyPixels, .input, .imageTooManyPixels(.zero, limit: 0)),
        CodedError(.imageEdgeTooLong, .input, .imageEdgeTooLong(0)),
        CodedError(.imageDecodeMemory, .input, .imageMemory(.zero, limit: 0)),
        CodedError(.imageDecodeMemory, .input, .imageResultMemory(.zero, limit: 0, maxEdge: 0)),
        CodedError(.imageTooManyScans, .input, .imageTooManyScans(0)),
        CodedError(.imageDecodeTime, .temporary, .imageTooSlow(limit: .zero)),
        CodedError(.imageOverBudget, .input, .imageOverBudget(0, quality: 0, 0)),
        CodedError(.imageInternalError, .input, .imageInternalError("")), ImageSubject.outOfMemory,
    ]

    /// Returns the accepted error with the numbers of a child's refusal; `nil` if there is no such error.
    private static func trusted(_ refusal: DecodeReply.Refusal) -> CodedError? {
        let known = self.refusals.first { $0.code == refusal.code && $0.message.english == refusal.message.english }
        return known.map { CodedError($0.code, $0.kind, refusal.message.withNumbersAlone) }
    }

    private static let crashed = CodedError(.decoderCrashed, .input, .imageDecoderCrashed)

    private static let stopped = CodedError(.decoderUnavailable, .temporary, .imageDecoderStopped)

    private static let notStarted = CodedError(.decoderUnavailable, .temporary, .imageNoDecoder)
}

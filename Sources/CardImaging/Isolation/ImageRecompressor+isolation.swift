package import CardModel
package import Foundation

extension ImageRecompressor {
    /// Prepares a photo in a child: our own binary, under limits that it sets itself before it looks at a byte. The
    /// same bytes come of it as of ``prepare(_:)``.
    ///
    /// - Throws: As ``prepare(_:)``; `decoder_crashed` (kind `input`) when the image brings the child down,
    ///   `decoder_unavailable` (kind `temporary`) when it cannot be started or is stopped from outside.
    package func prepareIsolated(_ source: Data) throws(CodedError) -> PreparedImage {
        try self.admit(source)
        return try self.decoding(source) { (end, output) throws(CodedError) in
            switch end {
            case .exited(0): return try self.image(in: output)
            case .exited, .notStarted: throw Self.notStarted
            // Whoever is short of memory or shuts down kills too, and a stopped child takes for ever: no word on the image.
            case .killed: throw end.isOwnDeath ? Self.crashed : Self.stopped
            case .timedOut: throw Self.stopped
            }
        }
    }

    /// Whether the system lets a child confine itself; tried without an image.
    package var canIsolate: Bool {
        (try? self.decoding(Data()) { (end, _) throws(CodedError) in end == .exited(0) }) ?? false
    }

    /// Has a child work on source bytes, and reads how it ended and what it wrote.
    private func decoding<Value>(
        _ source: Data,
        _ body: (ConfinedChild.End, AnonymousFile) throws(CodedError) -> Value
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
        // An answer that makes no sense comes of a decoder that has lost its mind.
        guard let framed = output.contents(limit: limit + ImagingLimits.maxHeaderBytes),
            let (reply, body) = Framed.split(framed, as: DecodeReply.self)
        else { throw Self.crashed }
        if let refusal = reply.refusal {
            guard let believed = Self.believed(refusal) else { throw Self.crashed }
            throw believed
        }
        guard reply.width > 0, reply.height > 0, body.count <= limit, ImageFormat.sniff(body) == .jpeg else {
            throw Self.crashed
        }
        return PreparedImage(Data(body), PixelSize(width: reply.width, height: reply.height))
    }

    /// What a child may say, which the image may have taken over: codes and texts of this list, with numbers in them.
    private static let refusals: [CodedError] = [
        CodedError(.imageCorrupt, .input, .imageCorrupt("")), CodedError(.imageCorrupt, .input, .fileTextMode),
        CodedError(.imageTruncated, .input, .imageTruncated),
        CodedError(.imageUnsupportedCoding, .input, .imageNoHeight),
        CodedError(.imageUnsupportedCoding, .input, .imageApplePNG),
        CodedError(.imageUnsupportedCoding, .input, .imageUnsupported("", "")),
        CodedError(.imageTooManyPixels, .input, .imageTooManyPixels(PixelSize(width: 0, height: 0), limit: 0)),
        CodedError(.imageEdgeTooLong, .input, .imageEdgeTooLong(0)),
        CodedError(.imageDecodeMemory, .input, .imageMemory(PixelSize(width: 0, height: 0), limit: 0)),
        CodedError(
            .imageDecodeMemory,
            .input,
            .imageResultMemory(PixelSize(width: 0, height: 0), limit: 0, maxEdge: 0)
        ),
        CodedError(.imageTooManyScans, .input, .imageTooManyScans(0)),
        CodedError(.imageDecodeTime, .temporary, .imageTooSlow(limit: .zero)),
        CodedError(.imageOverBudget, .input, .imageOverBudget(0, quality: 0, 0)),
        CodedError(.imageInternalError, .input, .imageInternalError("")), ImageSubject.outOfMemory,
    ]

    private static func believed(_ said: DecodeReply.Refusal) -> CodedError? {
        let known = self.refusals.first { $0.code == said.code && $0.message.english == said.message.english }
        return known.map { CodedError($0.code, $0.kind, said.message.withNumbersAlone) }
    }

    private static let crashed = CodedError(.decoderCrashed, .input, .imageDecoderCrashed)

    private static let stopped = CodedError(.decoderUnavailable, .temporary, .imageDecoderStopped)

    private static let notStarted = CodedError(.decoderUnavailable, .temporary, .imageNoDecoder)
}

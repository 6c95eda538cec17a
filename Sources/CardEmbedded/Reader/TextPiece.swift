/// A cut-out of the ink on a card: one line, or several lines of one field.
struct TextPiece: Sendable {
    let picture: Raster
    /// The height of the ink of one line, in pixels.
    let lineHeight: Int

    /// Cuts lines out of a window, down to their ink.
    ///
    /// - Parameter rows: The rows of each line, from top to bottom; without any the result is `nil`.
    init?(_ rows: some BidirectionalCollection<Range<Int>>, in window: Raster) {
        guard let first = rows.first, let last = rows.last else { return nil }
        let lines = window.cropped(x: 0..<window.width, y: first.lowerBound..<last.upperBound)
        guard let columns = lines.columnsOfText else { return nil }
        self.picture = lines.cropped(x: (columns.lowerBound - 2)..<(columns.upperBound + 2), y: 0..<lines.height)
        self.lineHeight = rows.map(\.count).max() ?? lines.height
    }
}

/// One way to prepare a piece of text for tesseract.
///
/// Tesseract's Chinese model is unreliable for short lines: it reads the same two characters at one size and blur and
/// not at another. So a piece is prepared in several ways until two results agree.
struct LinePreparation: Sendable {
    /// The height of the ink of one line, in pixels.
    let height: Double
    /// Blur, in pixels of the rectified card: it joins strokes broken by JPEG and the sensor's grain.
    let blur: Double
    let mode: Tesseract.PageMode

    /// In the order tried; each was the best of its kind on drawn cards.
    static let lines = [
        LinePreparation(height: 30, blur: 1.2, mode: .line),
        LinePreparation(height: 24, blur: 1.2, mode: .rawLine),
        LinePreparation(height: 24, blur: 1.6, mode: .line),
        LinePreparation(height: 24, blur: 2.0, mode: .rawLine),
        LinePreparation(height: 40, blur: 1.6, mode: .line),
    ]

    /// For text of one or more lines.
    static let blocks = [
        LinePreparation(height: 34, blur: 0.8, mode: .block),
        LinePreparation(height: 28, blur: 1.2, mode: .block),
        LinePreparation(height: 44, blur: 0.6, mode: .block),
    ]

    /// Returns the piece as input for tesseract: cut to its ink, black on white, blurred, scaled, with a margin.
    func prepared(_ piece: TextPiece) -> Raster {
        let scale = self.height / Double(max(piece.lineHeight, 1))
        let margin = Int((10 / scale).rounded())
        return piece.picture.stretched().padded(by: margin).blurred(sigma: self.blur).scaled(by: scale)
    }
}

extension Tesseract {
    /// Reads a piece in several ways until two agree.
    ///
    /// - Parameters:
    ///   - preparations: The ways to prepare the piece, in order.
    ///   - parse: Parses a text as a field; `nil` when it is not valid.
    /// - Returns: The first value that occurred twice; else the first value, if any.
    func value<Value: Equatable & Sendable>(
        of piece: TextPiece?,
        _ preparations: [LinePreparation],
        parse: @Sendable (String) -> Value?
    ) async throws -> Value? {
        guard let piece else { return nil }
        var values: [Value] = []
        for preparation in preparations {
            let picture = preparation.prepared(piece)
            let text = try await self.text(of: picture, language: .chinese, mode: preparation.mode)
            guard let value = parse(text) else { continue }
            if values.contains(value) { return value }
            values.append(value)
        }
        return values.first
    }
}

// Finds the ink of printed lines in a picture with evened-out light.
extension Raster {
    /// Darker than this is ink; ``flattened(radius:)`` puts the ground at about 205.
    private static let inkThreshold: UInt8 = 128
    /// The minimum dark pixels in a row or column that count as ink, not as a speck.
    private static let minimumInk = 2

    /// The rows of each line of text, from top to bottom.
    ///
    /// - Parameters:
    ///   - gap: rows without ink that still belong to one line (the gap between the parts of a character).
    ///   - minimumHeight: the minimum height of a line.
    func linesOfText(gap: Int, minimumHeight: Int) -> [Range<Int>] {
        Self.runs(in: self.inkCounts.rows, gap: gap).filter { $0.count >= minimumHeight }
    }

    /// The columns from the first to the last with ink; `nil` without ink.
    var columnsOfText: Range<Int>? { Self.runs(in: self.inkCounts.columns, gap: self.width).first }

    private var inkCounts: (rows: [Int], columns: [Int]) {
        var rows = [Int](repeating: 0, count: self.height)
        var columns = [Int](repeating: 0, count: self.width)
        self.withSamples { samples in
            for y in 0..<self.height {
                let line = samples + y * self.width
                for x in 0..<self.width {
                    if line[x] < Self.inkThreshold {
                        rows[y] += 1
                        columns[x] += 1
                    }
                }
            }
        }
        return (rows, columns)
    }

    private static func runs(in counts: [Int], gap: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for (index, value) in counts.enumerated() where value >= self.minimumInk {
            if let last = runs.last, index - last.upperBound <= gap {
                runs[runs.count - 1] = last.lowerBound..<(index + 1)
            } else {
                runs.append(index..<(index + 1))
            }
        }
        return runs
    }
}

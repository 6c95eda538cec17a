import CardModel
import Testing

@testable import CardRemote

/// The scores, as the dialects spell them and as replies stray from that.
@Suite struct LegalityReadingTests {
    private func legality(_ json: String, _ dialect: VerificationDialect) throws -> Legality? {
        let body =
            switch dialect {
            case .faceIDv1: #"{"side":"front","legality":\#(json)}"#
            case .faceppv1: #"{"cards":[{"side":"front","legality":\#(json)}]}"#
            case .faceIDv3: #"{"result":1001,"side":0,"legality":\#(json)}"#
            }
        return try #require(outcome(dialect, 200, body).reading).legality
    }

    @Test(
        arguments: [
            #"{"ID Photo":0.9,"Temporary ID Photo ":0.1}"#, #"{"ID Photo":"0.9","Temporary ID Photo":"0.1"}"#,
            #"{"ID_Photo":0.9,"Temporary_ID_Photo":0.1}"#,
            #"{" ID Photo ":" 0.9 ","Temporary  ID_Photo":1e-1,"New Class":"n/a","Other":null}"#,
        ],
        VerificationDialect.allCases
    )
    func `Scores are read from numbers and numeric strings, under keys with spaces, underscores and blanks at the end`(
        json: String,
        dialect: VerificationDialect
    ) throws {
        let legality = try self.legality(json, dialect)
        #expect(legality?.scores == ["ID Photo": 0.9, "Temporary ID Photo": 0.1])
        #expect(legality?.vendorThreshold == nil)
    }

    @Test(
        arguments: [
            #"Mask\nPhoto\u001b[31m"#, #"\u0000"#, "张样本", "<b>", "ID.Photo", "",
            String(repeating: "long ", count: 9),
        ],
        VerificationDialect.allCases
    )
    func `A class whose name is no plain one counts, and its name goes no further`(
        name: String,
        dialect: VerificationDialect
    ) throws {
        let legality = try self.legality(#"{"ID_Photo":0.2,"\#(name)":0.7,"Screen":0.1}"#, dialect)
        #expect(legality?.scores == ["ID Photo": 0.2, "other": 0.7, "Screen": 0.1])
        #expect(legality?.strongestOtherClass == "other")
    }

    @Test(arguments: VerificationDialect.allCases)
    func `Scores under odd names alone are no lack of scores`(dialect: VerificationDialect) throws {
        #expect(try self.legality(#"{"真":0.9}"#, dialect)?.genuineScore == 0)
    }

    @Test(
        arguments: [
            #"{"ID Photo":0,"Temporary ID Photo":0,"Photocopy":0,"Screen":0,"Edited":0}"#,
            #"{"ID_Photo":"0.0","Screen":"0","ID_Photo_Threshold":0.8}"#, "{}", "null", #""none""#, "[0.9]", "0.9",
            #"{"ID Photo":"high"}"#, #"{"ID Photo":85.5}"#, #"{"ID Photo":-1}"#, #"{"ID Photo":"nan"}"#,
        ],
        VerificationDialect.allCases
    )
    func `Zeros, nothing, or another type are unavailable`(json: String, dialect: VerificationDialect) throws {
        #expect(try self.legality(json, dialect) == nil)
    }

    @Test(arguments: [
        ("0.8", 0.8), (#""0.85""#, 0.85), ("1", 1), ("0", nil), ("-1", nil), ("80", nil), ("null", nil),
        (#""high""#, nil),
    ])
    func `a vendor's threshold is no score, and one that is none is not taken`(json: String, expected: Double?) throws {
        for key in ["ID_Photo_Threshold", "ID Photo Threshold"] {
            let legality = try self.legality(#"{"ID_Photo":0.97,"\#(key)":\#(json)}"#, .faceIDv3)
            #expect(legality?.vendorThreshold == expected)
            #expect(legality?.scores == ["ID Photo": 0.97])
        }
    }
}

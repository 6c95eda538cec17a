import CardModel
import Foundation

@testable import CardRemote

/// Makes a reply of a text.
func reply(_ status: Int, _ body: String, mediaType: String? = "application/json", retryAfter: Duration? = nil)
    -> HTTPReply
{
    HTTPReply(status: status, contentType: mediaType, retryAfter: retryAfter, body: Data(body.utf8))
}

/// Reads a reply of a text.
func outcome(
    _ dialect: VerificationDialect,
    _ status: Int,
    _ body: String,
    mediaType: String? = "application/json",
    retryAfter: Duration? = nil
) -> VerificationOutcome {
    ReplyReading(reply(status, body, mediaType: mediaType, retryAfter: retryAfter), dialect: dialect).outcome
}

/// Replies in the documented shapes; the persons are invented.
enum SampleReplies {
    static let requestID = "1457432550,b70ab3a8-0000-4000-8000-000000000000"
    static let number = "110101199003070011"

    /// What every sample of a front shows.
    static let frontFields = CardFields(
        name: "张样本",
        gender: "男",
        ethnicity: "汉",
        birthDate: "1990-03-07",
        address: "北京市东城区样本街1号",
        number: number
    )

    static let scores = ["ID Photo": 0.855, "Temporary ID Photo": 0, "Photocopy": 0.049, "Screen": 0.096, "Edited": 0]

    static func front(_ dialect: VerificationDialect) -> String {
        switch dialect {
        case .faceIDv1: self.faceIDv1Front
        case .faceppv1: self.faceppv1Front
        case .faceIDv3: self.faceIDv3Front
        }
    }

    static func back(_ dialect: VerificationDialect) -> String {
        switch dialect {
        case .faceIDv1: self.faceIDv1Back
        case .faceppv1: self.faceppv1Back
        case .faceIDv3: self.faceIDv3Back
        }
    }

    static let faceIDv1Front = #"""
        { "time_used": 320, "request_id": "1457432550,b70ab3a8-0000-4000-8000-000000000000", "side": "front",
          "name": "张样本", "gender": "男", "race": "汉", "address": "北京市东城区样本街1号",
          "id_card_number": "110101199003070011",
          "birthday": {"year": "1990", "month": "3", "day": "7"},
          "head_rect": {"lt": {"x":0.619915,"y":0.19362}, "rt": {"x":0.921812,"y":0.198438},
                        "rb": {"x":0.927187,"y":0.737717}, "lb": {"x":0.621641,"y":0.735261}},
          "legality": {"ID Photo":0.855, "Temporary ID Photo ":0, "Photocopy":0.049, "Screen":0.096, "Edited":0} }
        """#

    static let faceIDv1Back = #"""
        { "time_used": 320, "request_id": "1457432550,b70ab3a8-0000-4000-8000-000000000000", "side": "back",
          "issued_by": "北京市公安局东城分局", "valid_date": "2010.11.13-2020.11.13" }
        """#

    static let faceppv1Front = #"""
        { "request_id": "1457432550,b70ab3a8-0000-4000-8000-000000000000", "time_used": 452, "cards": [
          { "type": 1, "side": "front", "name": "张样本", "gender": "男", "race": "汉",
            "address": "北京市东城区样本街1号", "birthday": "1990-03-07", "id_card_number": "110101199003070011",
            "legality": {"ID Photo":0.855, "Temporary ID Photo":0, "Photocopy":0.049, "Screen":0.096, "Edited":0} } ] }
        """#

    static let faceppv1Back = #"""
        { "request_id": "1457432550,b70ab3a8-0000-4000-8000-000000000000", "time_used": 398, "cards": [
          { "side": "back", "issued_by": "北京市公安局东城分局", "valid_date": "2010.11.13-长期" } ] }
        """#

    static let faceIDv3Front = #"""
        { "request_id": "1457432550,b70ab3a8-0000-4000-8000-000000000000", "time_used": 612, "result": 1001, "side": 0,
          "completeness": 0,
          "card_rect": {"lt":{"x":112,"y":80},"rt":{"x":1490,"y":84},"rb":{"x":1486,"y":950},"lb":{"x":108,"y":946}},
          "name":         {"result":"张样本","quality":0.98,"logic":0,"rect":{"lt":{"x":210,"y":160}}},
          "gender":       {"result":"男","quality":0.97,"logic":0,"rect":{}},
          "nationality":  {"result":"汉","quality":0.97,"logic":0,"rect":{}},
          "birth_year":   {"result":"1990","quality":0.99,"logic":0,"rect":{}},
          "birth_month":  {"result":"3","quality":0.99,"logic":0,"rect":{}},
          "birth_day":    {"result":"7","quality":0.99,"logic":0,"rect":{}},
          "address":      {"result":"北京市东城区样本街1号","quality":0.9,"logic":0,"rect":{}},
          "idcard_number":{"result":"110101199003070011","quality":0.99,"logic":0,"rect":{}},
          "legality": {"ID_Photo":0.855,"Temporary_ID_Photo":0.0,"Photocopy":0.049,"Screen":0.096,"Edited":0.0,
                       "ID_Photo_Threshold":0.8} }
        """#

    static let faceIDv3Back = #"""
        { "request_id": "1457432550,b70ab3a8-0000-4000-8000-000000000000", "time_used": 580, "result": 1001, "side": 1,
          "issued_by":        {"result":"北京市公安局东城分局","quality":0.98,"logic":0,"rect":{}},
          "valid_date_start": {"result":"20101113","quality":0.97,"logic":0,"rect":{}},
          "valid_date_end":   {"result":"20201113","quality":0.97,"logic":0,"rect":{}},
          "legality": {"ID_Photo":0.97,"Temporary_ID_Photo":0.0,"Photocopy":0.01,"Screen":0.02,"Edited":0.0,
                       "ID_Photo_Threshold":0.8} }
        """#
}

import CLanguages
package import CardModel
import Foundation

extension MessageCatalogue {
    /// Simplified Chinese: `CLanguages/zh-Hans.json`.
    package static let chinese = MessageCatalogue(texts: chineseTexts)

    static let chineseTexts: [String: String] = {
        let json = Data(String(cString: idcl_zh_hans()).utf8)
        // A test reads them all: what is no such object is not released.
        guard let texts = try? JSONDecoder().decode([String: String].self, from: json) else {
            preconditionFailure("zh-Hans.json is no object of texts")
        }
        return texts
    }()
}

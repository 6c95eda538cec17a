/// The fields printed on a card, as the verification service read them; none prints itself.
package struct CardFields: Hashable, Sendable, Codable {
    /// 姓名
    package var name: Redacted<String>?
    /// 性别, as read: 男 or 女.
    package var gender: Redacted<String>?
    /// 民族, without 族.
    package var ethnicity: Redacted<String>?
    /// 出生, as `YYYY-MM-DD`; what was read and is no date, as read.
    package var birthDate: Redacted<String>?
    /// 住址
    package var address: Redacted<String>?
    /// 公民身份号码, as read.
    package var number: Redacted<String>?
    /// 签发机关
    package var issuer: Redacted<String>?
    /// 有效期限, as read.
    package var validity: Redacted<String>?

    /// Every value there is.
    package var all: [Redacted<String>] {
        [
            self.name, self.gender, self.ethnicity, self.birthDate, self.address, self.number, self.issuer,
            self.validity,
        ]
        .compactMap { $0 }
    }

    /// Makes fields; everything may be missing.
    package init(
        name: String? = nil,
        gender: String? = nil,
        ethnicity: String? = nil,
        birthDate: String? = nil,
        address: String? = nil,
        number: String? = nil,
        issuer: String? = nil,
        validity: String? = nil
    ) {
        self.name = name.map(Redacted.init)
        self.gender = gender.map(Redacted.init)
        self.ethnicity = ethnicity.map(Redacted.init)
        self.birthDate = birthDate.map(Redacted.init)
        self.address = address.map(Redacted.init)
        self.number = number.map(Redacted.init)
        self.issuer = issuer.map(Redacted.init)
        self.validity = validity.map(Redacted.init)
    }
}

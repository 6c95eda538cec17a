/// What the second line of a front says.
struct GenderAndEthnicity: Sendable, Equatable {
    let gender: String
    let ethnicity: String
}

/// What nobody has a reason to set.
package enum Limits {
    /// The most photos that one number may have in one list; more come from a wrong folder level.
    package static let photosPerNumber = 64
}

extension AppConfiguration {
    /// Whether a card must name a user account of its own: a real backend wants one, and `delivery.user_no` names none for
    /// all.
    package var requiresUserNumber: Bool { !self.embedded && self.delivery.userNumber == nil }
}

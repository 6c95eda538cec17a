/// How far the time of a webhook may be from ours; each side has its own bound, so that the window is no larger than said.
package struct WebhookTolerance: Hashable, Sendable {
    /// How old it may be (`webhooks.tolerance_past`).
    package var past: Duration
    /// How far ahead its clock may be (`webhooks.tolerance_future`).
    package var future: Duration

    /// Sets the tolerance.
    package init(past: Duration = .seconds(300), future: Duration = .seconds(60)) {
        self.past = past
        self.future = future
    }
}

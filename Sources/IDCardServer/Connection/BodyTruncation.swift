/// The connection ended within a body, or the body's framing broke.
struct BodyTruncation: Error {}

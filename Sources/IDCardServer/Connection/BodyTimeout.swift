/// A body came too slowly.
struct BodyTimeout: Error {}

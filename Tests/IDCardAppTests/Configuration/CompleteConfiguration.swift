/// A configuration that `run` could start with, whose secrets are canaries: none of them may show up anywhere.
enum CompleteConfiguration {
    static let canaries = ["canary-key", "canary-secret", "canary-token", "canary-user"]

    static let yaml = """
        verification:
          url: https://verify.example/faceid/v1/ocridcard
          api_key: canary-key
          api_secret: canary-secret
        delivery:
          url: https://backend.example/upload
          token: canary-token
          user_no: canary-user

        """

    static let environment = [
        "IDCARD_VERIFICATION_URL": "https://verify.example/faceid/v1/ocridcard",
        "IDCARD_VERIFICATION_API_KEY": "canary-key",
        "IDCARD_VERIFICATION_API_SECRET": "canary-secret",
        "IDCARD_DELIVERY_URL": "https://backend.example/upload",
        "IDCARD_DELIVERY_TOKEN": "canary-token",
        "IDCARD_DELIVERY_USER_NO": "canary-user",
    ]
}

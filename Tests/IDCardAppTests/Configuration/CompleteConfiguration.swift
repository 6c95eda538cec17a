/// A configuration that `run` could start with, whose secrets are canaries: none of them may show up anywhere.
enum CompleteConfiguration {
    static let yaml = """
        verification:
          url: https://verify.example/faceid/v1/ocridcard
          api_key: canary-key
          api_secret: canary-secret
          proxy: http://canary-proxy-user:canary-proxy-password@proxy.example:3128
        delivery:
          url: https://backend.example/upload
          token: canary-token
          user_no: canary-user
          proxy: http://canary-proxy-user:canary-proxy-password@proxy.example:3129
          reply:
            encryption: 3des-cbc
            key: canary-reply-key-of-24-bytes
        vault:
          key_command: echo canary-key-command

        """

    static let environment = [
        "IDCARD_VERIFICATION_URL": "https://verify.example/faceid/v1/ocridcard",
        "IDCARD_VERIFICATION_API_KEY": "canary-key",
        "IDCARD_VERIFICATION_API_SECRET": "canary-secret",
        "IDCARD_DELIVERY_URL": "https://backend.example/upload",
        "IDCARD_DELIVERY_TOKEN": "canary-token",
        "IDCARD_DELIVERY_USER_NO": "canary-user",
        "IDCARD_VERIFICATION_PROXY": "http://canary-proxy-user:canary-proxy-password@proxy.example:3128",
        "IDCARD_DELIVERY_PROXY": "http://canary-proxy-user:canary-proxy-password@proxy.example:3129",
        "IDCARD_DELIVERY_REPLY_ENCRYPTION": "3des-cbc",
        "IDCARD_DELIVERY_REPLY_KEY": "canary-reply-key-of-24-bytes",
        "IDCARD_VAULT_KEY": SampleValue.vaultKey,
    ]
}

/// A certificate that issued itself, good until 2126; its key was thrown away.
enum SampleAuthority {
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBsjCCAVegAwIBAgIUWeA2oqjJQivcZwW4Kq0EKx4DnQMwCgYIKoZIzj0EAwIw
        LTErMCkGA1UEAwwiaWRjYXJkLXBpcGVsaW5lIHNwZWNpbWVuIGF1dGhvcml0eTAg
        Fw0yNjExMjExMjU2MDFaGA8yMTI2MTAyODEyNTYwMVowLTErMCkGA1UEAwwiaWRj
        YXJkLXBpcGVsaW5lIHNwZWNpbWVuIGF1dGhvcml0eTBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABMdOUCrAueqHeT2NPYlxZnNTibNpCohk6wfMdGVtJx8/A7lIeav1
        rdwQsRT10i2ApLWvBL/oC857RM16rGE09VajUzBRMB0GA1UdDgQWBBQGPDmsf8Bq
        sxzKSQe6X5BW5eIVBzAfBgNVHSMEGDAWgBQGPDmsf8BqsxzKSQe6X5BW5eIVBzAP
        BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQC/GV9Ym9x6VEIF7Xbh
        FbHSOgPqoZSqV9amGcndvZDzGwIhAIm/LaAuo1gxEhoFQX4xdR5pC4IcGrVxbSKX
        3Q79E8XL
        -----END CERTIFICATE-----

        """
}

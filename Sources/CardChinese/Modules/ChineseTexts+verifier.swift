extension ChineseTexts {
    /// Calls of the verification service.
    static let verifier = #"""
        verifier.credential_empty = {1} 是空的；填写你在核验服务的账号信息
        verifier.form = 无法生成带图片的表单（{1}）；请报告此问题
        verifier.authentication = 核验服务拒绝了 API key（{1}）；检查 verification.api_key 和 verification.api_secret；如果使用签名请求，还要检查本机时钟
        verifier.authorization = 核验服务不允许这个 API key 使用该服务（{1}）；检查账号的余额、配额和权限
        verifier.permission = 这个 API key 无权使用某个参数（{1}）；请供应商为它开通合法性评分
        verifier.concurrency = 这个 API key 每秒的调用次数已用完（{1}），程序会自动减速；如果经常发生，调低 verification.concurrency
        verifier.interface = 核验服务没有这个接口（{1}）；检查 verification.url 和 verification.dialect
        verifier.arguments = 核验服务拒绝了请求参数（{1}）；检查 verification.dialect 和 verification.auth；如果都正确，请报告此问题
        verifier.image_size = 核验服务不接受图片的尺寸（{1}）；程序会换较小的图片再试一次；如果仍失败，重拍
        verifier.file_size = 文件超过核验服务的大小限制（{1}）；程序会换较小的图片再试一次；为避免再发生，调低 imaging.byte_budget
        verifier.undecodable = 核验服务无法解码图片（{1}）；重拍
        verifier.image_url = 核验服务在 URL 上没有找到图片（{1}）；检查 verification.dialect
        verifier.failed = 核验服务出错（{1}）；如果持续发生，询问其技术支持
        verifier.unknown_error = 核验服务返回状态 {1} 和未知的错误（{2}）；查阅供应商的错误码表
        verifier.too_large = 表单超过核验服务的大小限制（状态 {1}）；程序会换较小的图片再试一次；为避免再发生，调低 imaging.byte_budget
        verifier.throttled = 核验服务要求减少调用（状态 {1}），程序会自动减速；如果经常发生，调低 verification.concurrency
        verifier.busy = 核验服务繁忙（状态 {1}）；程序正在减速
        verifier.redirect = 核验服务返回状态 {1}，但程序不跟随重定向；把 verification.url 设为重定向的目标地址
        verifier.access = 核验服务返回状态 {1}；检查 verification.api_key、verification.api_secret 和途中的代理
        verifier.proxy = 核验服务之前的代理要求认证（状态 {1}）；在 verification.proxy 中填写用户名和密码
        verifier.url = 核验服务返回状态 {1}；检查 verification.url
        verifier.status = 核验服务返回状态 {1}；如果持续发生，查看该服务的日志
        verifier.cut_off = 核验服务返回状态 {1}，但响应在收到 {2}后中断；如果反复发生，检查网络和途中的代理
        verifier.dialect = 核验服务按 {1} 的接口格式响应，而不是 {2}；检查 verification.url 和 verification.dialect
        verifier.unreadable = 无法读取核验服务的响应（状态 {1}，{2}）：{3}；如果持续发生，检查 verification.url
        verifier.html = 核验服务返回的是 HTML（状态 {1}，{2}），不是 {3} 的接口格式；如果持续发生，检查 verification.url
        verifier.no_reading = 核验服务的响应（状态 {1}，{2}）不是 {3} 接口格式的识别结果；如果持续发生，检查 verification.url
        """#
}

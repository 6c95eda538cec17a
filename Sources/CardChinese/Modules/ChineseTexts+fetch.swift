extension ChineseTexts {
    /// Images by URL.
    static let fetch = #"""
        fetch.host_invalid = “{1}”不是主机；写 IP 地址、主机名（例如 images.example.com），或用 *.example.com 表示 example.com 下的所有名称；不要写协议、端口和路径，国际化域名写成 ASCII 形式
        fetch.block_invalid = “{1}”不是地址段；写起始地址和前缀长度，例如 10.20.0.0/16 或 fd00:1::/32；如果只有一个地址，就只写该地址
        fetch.port_invalid = “{1}”不是端口；写 1 到 65535 的数字
        fetch.url_too_long = 图片的 URL 超过 {1}；使用较短的 URL
        fetch.url_character = 图片的 URL 含有 URL 不允许的字符；对该字符做百分号编码
        fetch.url_relative = 图片的 URL 不是绝对地址；写成 https://host/path
        fetch.url_scheme = 图片的 URL 不以 https:// 或 http:// 开头；使用这样的 URL
        fetch.url_user = 图片的 URL 含有用户名或密码；删除它们
        fetch.url_host = 图片 URL 中的主机既不是主机名，也不是常规写法的地址；更正主机
        fetch.url_port = 图片 URL 中的端口不是 1 到 65535 的数字；更正端口
        fetch.no_hosts = fetch.hosts 为空时不能按 URL 下载图片；列出图片可以来自哪些主机
        fetch.host_refused = 图片 URL 中的主机不在 fetch.hosts 中；如果允许图片来自该主机，把它加进去
        fetch.http_refused = 图片的 URL 以 http:// 开头，但 fetch.allow_http 已关闭；使用 https
        fetch.port_refused = 图片的 URL 指定了端口 {1}，它不在 fetch.ports 中；如果允许图片来自该端口，把它加进去
        fetch.address_refused = 程序不连接 {1}，因为它的地址属于 {2} 类；如果允许图片来自该地址，把所在的地址段加入 fetch.allow_addresses
        fetch.redirects = {1} 的重定向次数超过 fetch.max_redirects（{2}）；使用重定向最终到达的 URL，或调高 fetch.max_redirects
        fetch.redirect_unusable = {1} 的重定向没有可用的地址；换一个 URL
        fetch.redirect_http = {1} 从 https 重定向到 http，程序不会跟随；换一个 URL
        fetch.unresolved = 无法解析图片 URL 中的主机名；检查 URL 和本机的域名解析
        fetch.connect_refused = {1} 拒绝连接；检查该服务是否在运行
        fetch.connect_timeout = {1} 没有及时建立连接；检查网络和防火墙
        fetch.unreachable = 无法连接 {1}；检查网络
        fetch.too_slow = {1} 停止发送，或没有及时发完图片；程序保留已收到的部分，再请求其余部分
        fetch.cut_off = 图片尚未传完，{1} 就断开了连接；程序稍后下载其余部分
        fetch.untrusted = {1} 的证书不受信任，或当前不在有效期内；如果确认服务器无误，把 fetch.tls.ca_file 设为含有该证书签发机构证书的文件
        fetch.wrong_host = {1} 的证书写的是另一台主机；检查 URL
        fetch.certificate_missing = {1} 要求客户端证书，而程序下载图片时从不出示证书；换一个 URL
        fetch.tls_failed = 无法与 {1} 建立加密连接；检查该端口是否支持 TLS
        fetch.not_http = {1} 的响应不是 HTTP；检查 URL
        fetch.broken_off = 从 {1} 下载时意外失败；查看该主机的日志
        fetch.forbidden = {1} 不允许访问这个 URL（状态 {2}）；签名的 URL 可能已过期，换一个新的
        fetch.not_found = {1} 在这个 URL 上没有图片（状态 {2}）；用正确的 URL 重新提交
        fetch.gone = {1} 已删除图片（状态 {2}）；重新提交图片
        fetch.throttled = {1} 要求放慢速度（状态 {2}）；程序正在减速
        fetch.again = {1} 要求稍后再试（状态 {2}）；如果持续发生，询问该主机的管理者
        fetch.server_error = {1} 出错（状态 {2}）；查看它的日志
        fetch.status = {1} 没有返回图片（状态 {2}）；检查 URL
        fetch.version_changed = 主机每次返回的图片都不同，无法下载图片的其余部分；联系该主机的运维人员
        fetch.encoding = {1} 用 gzip 发送图片，但 gzip 数据已损坏，或解压后超过 imaging.max_source_bytes；让对方发送未压缩的图片
        fetch.empty = {1} 返回的是空文件；检查 URL
        fetch.too_large = {1} 上的图片超过 {2}；提交较小的图片，或调高 imaging.max_source_bytes
        fetch.not_an_image = 这个 URL 上的文件开头不像图片；检查 URL
        """#
}

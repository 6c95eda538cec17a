extension ChineseTexts {
    /// Photos, their formats and sizes.
    static let imaging = #"""
        image.empty = 文件是空的；重新提供照片
        image.too_large = 图片有 {1}，超过上限 {2}；换一个较小的文件
        image.over_budget = 图片压缩不到要求的大小：长边 {1} 像素、质量 {2}（满分 100）时仍超过 {3}；调高 imaging.byte_budget
        image.corrupt = 图片已损坏（{1}）；重新提供原文件
        image.truncated = 图片不完整（{1}）；重新提供完整的文件
        image.no_height = 这个 JPEG 把高度写在图像数据之后（DNL 段，部分扫描仪会这样写）；用图片软件打开照片，另存为 JPEG，再提供新文件
        image.apple_png = 图片是苹果专用的 PNG 变体（CgBI），只有苹果的软件能读取；把照片导出为 JPEG 再提供
        image.unsupported = 不支持这种 {1}（{2}）；另存为基线 JPEG 再提供
        image.too_many_pixels = 图片有 {1}x{2} 像素，超过 {3} 像素的上限；换一张较小的图片
        image.edge_too_long = 图片有一边超过 {1} 像素；换一张较小的图片
        image.result_memory = 按 {1}x{2} 像素保存这张图片需要的内存超过 {3}；调低 imaging.max_edge（{4}）
        image.memory = 解码 {1}x{2} 像素的图片需要的内存超过 {3}；另存一张较小的图片，不要用渐进式或隔行格式，再提供新文件
        image.too_many_scans = 这个 JPEG 的扫描次数超过 {1}；另存为基线 JPEG 再提供
        image.too_slow = 解码图片的时间超过 {1}；如果机器繁忙，稍后再试；否则把图片缩小，另存为基线 JPEG
        image.internal_error = 无法处理图片（{1}）；这是 idcard-pipeline 的缺陷，请向开发方报告
        image.out_of_memory = 内存不足，无法处理图片；调低 imaging.concurrency，或稍后再试
        image.decoder_crashed = 解码程序在处理图片时崩溃；换一张身份证照片
        image.decoder_stopped = 解码进程运行过久，或被外部终止；检查本机的内存和负载
        image.no_decoder = 无法启动解码进程；检查内存和进程数限制，再重新运行
        """#
}

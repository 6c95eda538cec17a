extension ChineseTexts {
    /// What the engine says of a card that waits or cannot go on.
    static let engine = #"""
        engine.disk_full = 沙箱所在的磁盘快满了，不再导入照片（sandbox.intake_free_space）；腾出空间
        engine.too_many_fetches = 该提交方等待下载的图片过多；稍后重新提交
        engine.too_many_uploads = 等待处理的图片过多；稍后重新发送照片
        engine.queue_full = 队列已满：处理中的证件照过多；稍后重新提交
        engine.endpoint_paused = 调用之前，接口已被暂停
        engine.form_changed = TOKEN 或表单字段已变更，这张证件照改在新的一次发送中发出
        engine.clock_doubtful = {1}；本机时钟显示 {2}，可能不准；校准时钟后，这张证件照会自动重新判断
        engine.image_refused = 核验服务不接受这个图片尺寸（{1}x{2} 像素，{3}），而图片已不能再缩小；重拍，让身份证占满画面
        """#
}

# Rack's multipart parser, for Tests/MultipartFormTests/Interop: FOLDER/CASE.body into FOLDER/parsed-rack.json.
require 'rack'
require 'digest'
require 'json'
require 'stringio'

# Keeps the parts in order instead of sorting them into a hash.
class InOrder
  Parts = Struct.new(:list) do
    def to_params_hash = list
  end

  def param_depth_limit = 100

  def make_params = Parts.new([])

  def normalize_params(params, name, value, _depth)
    params.list << [name, value]
  end
end

folder = ARGV[0]
results = JSON.parse(File.read("#{folder}/cases.json")).map do |item|
  entry = { case: item['case'], parser: 'rack', ordered: true, parts: [], error: nil }
  begin
    body = File.binread("#{folder}/#{item['case']}.body")
    type = "multipart/form-data; boundary=#{item['boundary']}"
    parsed = Rack::Multipart::Parser.parse(
      StringIO.new(body), body.bytesize, type, Rack::Multipart::Parser::TEMPFILE_FACTORY, 16_384, InOrder.new
    )
    entry[:parts] = parsed.params.map do |name, value|
      is_file = value.is_a?(Hash)
      data = is_file ? value[:tempfile].read : value
      {
        name: name, filename: is_file ? value[:filename] : nil, type: is_file ? value[:type] : nil,
        sha256: Digest::SHA256.hexdigest(data)
      }
    end
  rescue StandardError => e
    entry[:error] = e.inspect
  end
  entry
end
File.write("#{folder}/parsed-rack.json", JSON.generate(results))

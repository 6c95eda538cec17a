// Reads a form's parts as JSON; writes its content type, a line end and its body, as this node's FormData encodes it.
import { readFileSync } from 'node:fs'

const form = new FormData()
for (const { name, filename, type, data } of JSON.parse(readFileSync(0, 'utf8'))) {
  const bytes = Buffer.from(data, 'base64')
  if (filename === null) form.append(name, bytes.toString('utf8'))
  else form.append(name, new File([bytes], filename, { type }), filename)
}
const response = new Response(form)
process.stdout.write(response.headers.get('content-type') + '\n')
process.stdout.write(Buffer.from(await response.arrayBuffer()))

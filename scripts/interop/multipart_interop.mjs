// The multipart encoder and parser of node (undici), for Tests/MultipartFormTests/Interop.
//
//   multipart_interop.mjs encode FOLDER   each case of FOLDER/cases.json into FOLDER/CASE.node.body, its boundary replaced
//   multipart_interop.mjs parse FOLDER    FOLDER/CASE.body into FOLDER/parsed-node.json
//
// Cases are described in multipart_interop.py.

import { File } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [mode, folder] = process.argv.slice(2)
const cases = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8'))

async function encode({ boundary, parts }) {
  const form = new FormData()
  for (const { name, filename, type, content } of parts) {
    const data = readFileSync(join(folder, content))
    if (filename === null) form.append(name, data.toString('utf8'))
    else form.append(name, new File([data], filename, { type }), filename)
  }
  const response = new Response(form)
  const theirs = response.headers.get('content-type').split('boundary=')[1]
  const body = Buffer.from(await response.arrayBuffer()).toString('latin1')
  return Buffer.from(body.replaceAll('--' + theirs, '--' + boundary), 'latin1')
}

async function parse({ case: name, boundary }) {
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const form = await new Response(readFileSync(join(folder, `${name}.body`)), { headers }).formData()
  const parts = []
  for (const [key, value] of form) {
    const isText = typeof value === 'string'
    const data = isText ? Buffer.from(value, 'utf8') : Buffer.from(await value.arrayBuffer())
    parts.push({
      name: key,
      filename: isText ? null : value.name,
      type: isText ? null : value.type,
      sha256: createHash('sha256').update(data).digest('hex'),
    })
  }
  return parts
}

const parsed = []
for (const item of cases) {
  if (mode === 'encode') {
    writeFileSync(join(folder, `${item.case}.node.body`), await encode(item))
    continue
  }
  const entry = { case: item.case, parser: 'node', ordered: true, parts: [], error: null }
  try {
    entry.parts = await parse(item)
  } catch (error) {
    entry.error = String(error)
  }
  parsed.push(entry)
}
if (mode === 'parse') writeFileSync(join(folder, 'parsed-node.json'), JSON.stringify(parsed))

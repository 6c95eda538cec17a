// The multipart encoder and parser of node (undici), for Tests/MultipartFormTests/Interop.
//
//   multipart_interop.mjs encode FOLDER   each case of FOLDER/cases.json into FOLDER/CASE.node.body, its boundary replaced
//   multipart_interop.mjs parse FOLDER    FOLDER/CASE.body into FOLDER/parsed-node.json
//   multipart_interop.mjs form            parts as JSON from standard input; writes the content type, a line end and the body
//
// Cases are described in multipart_interop.py.

import { File } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [mode, folder] = process.argv.slice(2)

async function encode(parts) {
  const form = new FormData()
  for (const { name, filename, type, data } of parts) {
    if (filename === null) form.append(name, data.toString('utf8'))
    else form.append(name, new File([data], filename, { type }), filename)
  }
  const response = new Response(form)
  return [response.headers.get('content-type'), Buffer.from(await response.arrayBuffer()).toString('latin1')]
}

async function encodeCase({ case: name, boundary, parts }) {
  const read = parts.map((part) => ({ ...part, data: readFileSync(join(folder, part.content)) }))
  const [type, body] = await encode(read)
  const theirs = type.split('boundary=')[1]
  writeFileSync(join(folder, `${name}.node.body`), body.replaceAll('--' + theirs, '--' + boundary), 'latin1')
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

if (mode === 'form') {
  const parts = JSON.parse(readFileSync(0, 'utf8'))
  const [type, body] = await encode(parts.map((part) => ({ ...part, data: Buffer.from(part.data, 'base64') })))
  process.stdout.write(Buffer.from(`${type}\n${body}`, 'latin1'))
} else {
  const parsed = []
  for (const item of JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8'))) {
    if (mode === 'encode') {
      await encodeCase(item)
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
}

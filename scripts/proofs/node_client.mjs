// Reads an order as JSON from standard input, carries it out with node's fetch, and writes what came back as JSON.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { deliver } from './fetch_client.mjs'

const order = JSON.parse(readFileSync(0, 'utf8'))
const images = {}
for (const side of ['front', 'back']) images[side] = readFileSync(join(order.folder, order.number, `${side}.jpg`))
process.stdout.write(JSON.stringify(await deliver(order, images)))

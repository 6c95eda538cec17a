// Sends both sides of a card with fetch and follows them to their end; the same for node and for a page in a browser.

const expectedName = '样本甲'

function request(way, number, side, image) {
  if (way === 'form') {
    const body = new FormData()
    body.append('business_no', number)
    body.append('side', side)
    if (side === 'front') body.append('expected_name', expectedName)
    body.append('image', new Blob([image], { type: 'image/jpeg' }), `${side}.jpg`)
    return { headers: {}, body }
  }
  const headers = { 'Content-Type': 'image/jpeg', 'Card-Business-No': number, 'Card-Side': side }
  if (side === 'front') headers['Card-Expected-Name'] = encodeURIComponent(expectedName)
  return { headers, body: image }
}

async function submit({ api, token, way, number }, side, image) {
  const { headers, body } = request(way, number, side, image)
  headers.Authorization = `Bearer ${token}`
  const answer = await fetch(`${api}/v1/cards`, { method: 'POST', headers, body })
  const text = await answer.text()
  return { status: answer.status, location: answer.headers.get('location'), text }
}

async function state({ api, token, wait }, location) {
  const end = Date.now() + wait * 1000
  while (true) {
    const answer = await fetch(api + location, { headers: { Authorization: `Bearer ${token}` } })
    if (!answer.ok) return `status ${answer.status}`
    const { card } = await answer.json()
    if (['delivered', 'rejected', 'failed', 'held'].includes(card.state) || Date.now() > end) return card.state
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

// `images` holds the bytes of `front` and `back`; answers with what came back for each.
export async function deliver(order, images) {
  const found = {}
  for (const side of ['front', 'back']) found[side] = await submit(order, side, images[side])
  for (const side of ['front', 'back']) {
    if (found[side].status === 202) found[side].state = await state(order, found[side].location)
  }
  return found
}

/** Attributes that belong to the reader, not to the message: an open details block stays open while the text streams. */
const READERS_OWN = new Set(['open']);

/**
 * Makes `current` look like `wanted` while touching only what differs: pictures keep their pixels, players keep
 * playing and selected text stays selected while a message is edited under the reader's eyes.
 * @param current stays in the document
 * @param wanted may be taken apart
 */
export function morph(current: Element, wanted: Element) {
  if (current.isEqualNode(wanted)) return;
  morphAttributes(current, wanted);
  morphChildren(current, wanted);
}

function morphAttributes(current: Element, wanted: Element) {
  for (const { name } of [...current.attributes]) {
    if (!wanted.hasAttribute(name) && !READERS_OWN.has(name)) current.removeAttribute(name);
  }
  for (const { name, value } of [...wanted.attributes]) {
    if (current.getAttribute(name) === value || READERS_OWN.has(name)) continue;
    // A style attribute set as text is refused by the content security policy; the style object is not.
    if (name === 'style') copyStyle(current, wanted);
    else current.setAttribute(name, value);
  }
}

function copyStyle(current: Element, wanted: Element) {
  if (current instanceof HTMLElement && wanted instanceof HTMLElement) current.style.cssText = wanted.style.cssText;
}

function morphChildren(current: Element, wanted: Element) {
  const wantedNodes = [...wanted.childNodes];
  let place = current.firstChild;
  for (const node of wantedNodes) {
    const partner = findPartner(place, node);
    if (!partner) {
      current.insertBefore(node, place);
      continue;
    }
    while (place && place !== partner) place = removeAndNext(place);
    if (partner instanceof Element && node instanceof Element) morph(partner, node);
    else if (partner.nodeValue !== node.nodeValue) partner.nodeValue = node.nodeValue;
    place = partner.nextSibling;
  }
  while (place) place = removeAndNext(place);
}

/**
 * The node at or right behind `place` that can become `node`. Keyed elements are looked for among all later siblings.
 */
function findPartner(place: ChildNode | null, node: Node): ChildNode | null {
  const key = keyOf(node);
  if (key === null) return place && isSameKind(place, node) ? place : null;
  for (let candidate = place; candidate; candidate = candidate.nextSibling) {
    if (isSameKind(candidate, node)) return candidate;
  }
  return null;
}

function isSameKind(left: Node, right: Node) {
  return left.nodeName === right.nodeName && keyOf(left) === keyOf(right);
}

function keyOf(node: Node) {
  return node instanceof Element ? node.getAttribute('data-key') : null;
}

function removeAndNext(node: ChildNode) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/**
 * What may stand inside an element; nothing is shown for false, null and undefined, text is always plain text.
 * @typedef {Node | string | number | false | null | undefined} Child
 */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Builds an element. Attributes that are false, null or undefined are left out, true gives an empty attribute.
 * Text never passes through an HTML parser, so whatever a message holds stays text.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined> | null} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  appendAll(element, children);
  return element;
}

/**
 * Appends children of every allowed kind, flattening lists.
 * @param {Node} parent
 * @param {(Child | Child[])[]} children
 */
export function appendAll(parent, children) {
  for (const child of children.flat()) {
    if (child === false || child === null || child === undefined) continue;
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * Builds an SVG element.
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...Node} children
 */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * The element of this id, which index.html promises.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return element;
}

/**
 * The nearest ancestor of an event's target (or the target) that carries the attribute `data-action`.
 * @param {Event} event
 * @returns {HTMLElement | null}
 */
export function actionTarget(event) {
  const target = event.target instanceof Element ? event.target.closest('[data-action]') : null;
  return target instanceof HTMLElement ? target : null;
}

/** What may stand inside an element; nothing is shown for false, null and undefined, text is always plain text. */
export type Child = Node | string | number | false | null | undefined;

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Builds an element. Attributes that are false, null or undefined are left out, true gives an empty attribute.
 * Text never passes through an HTML parser, so whatever a message holds stays text.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes?: Record<string, string | number | boolean | null | undefined> | null,
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  appendAll(element, children);
  return element;
}

/** Appends children of every allowed kind, flattening lists. */
export function appendAll(parent: Node, children: (Child | Child[])[]) {
  for (const child of children.flat()) {
    if (child === false || child === null || child === undefined) continue;
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Builds an SVG element. */
export function svg(tag: string, attributes: Record<string, string | number>, ...children: Node[]) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** The element of this id, which index.html promises. */
export function byId<T extends HTMLElement>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return element;
}

/** The nearest ancestor of an event's target (or the target) that carries the attribute `data-action`. */
export function actionTarget(event: Event): HTMLElement | null {
  const target = event.target instanceof Element ? event.target.closest('[data-action]') : null;
  return target instanceof HTMLElement ? target : null;
}

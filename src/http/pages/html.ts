/** Markup that must not be escaped again. */
export interface Html {
  readonly markup: string;
}

type Insertion = Html | string | number | undefined | readonly Html[];

/** Creates markup from a template. Inserted values are escaped unless they are markup. */
export function html(literals: TemplateStringsArray, ...insertions: readonly Insertion[]): Html {
  const chunks = literals.map((literal, index) => (index === 0 ? '' : toMarkup(insertions[index - 1])) + literal);
  return { markup: chunks.join('') };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function toMarkup(insertion: Insertion): string {
  if (insertion === undefined) return '';
  if (typeof insertion === 'string') return insertion.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
  if (typeof insertion === 'number') return String(insertion);
  if ('markup' in insertion) return insertion.markup;
  return insertion.map(({ markup }) => markup).join('');
}

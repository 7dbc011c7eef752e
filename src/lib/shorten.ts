/** A text of so many characters at most, an ellipsis at its end included where it was longer. Characters are code points, so none is torn apart. */
export function shorten(text: string, maxCharacters: number): string {
  const characters = [...text];
  return characters.length <= maxCharacters ? text : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}

/** Removes trailing slashes of a URL, so that a path can be appended. */
export function withoutTrailingSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '');
}

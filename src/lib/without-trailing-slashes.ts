/** Returns an address without slashes at its end, so that a path can be appended. */
export function withoutTrailingSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '');
}

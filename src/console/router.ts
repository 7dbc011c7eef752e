import { useEffect, useState } from 'preact/hooks';

/** Returns the address of a view: `#/files/abc`. */
export function toAddress(...parts: readonly (string | number)[]): string {
  return `#/${parts.map((part) => encodeURIComponent(part)).join('/')}`;
}

/** Returns the parts of the current address: `['files', 'abc']`. */
export function useRoute(): readonly string[] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener('hashchange', onChange);
    // The address may have changed since the first rendering.
    onChange();
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return readParts(hash);
}

function readParts(hash: string): readonly string[] {
  try {
    return hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
  } catch {
    return [''];
  }
}

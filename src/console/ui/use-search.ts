import { useEffect, useState } from 'preact/hooks';

const SETTLED_MS = 300;
const MAX_LENGTH = 100;

/** Returns the text to search for, and the properties of the field for it. A search is not sent for each letter. */
export function useSearch() {
  const [value, onChange] = useState('');
  const [wanted, setWanted] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setWanted(value.trim()), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return { wanted, field: { type: 'search', maxLength: MAX_LENGTH, value, onChange } as const };
}

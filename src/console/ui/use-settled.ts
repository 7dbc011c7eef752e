import { useEffect, useState } from 'preact/hooks';

const SETTLED_MS = 300;

/** Returns a text once it has not changed for a moment, so that a search is not sent for each letter. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

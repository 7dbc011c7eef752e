/** Maximum number of labels per process: each adds dozens of time series. */
const MAX_LABELS = 100;
const OTHER = 'other';

/**
 * Returns a function from model names to labels: the public name if it is in the catalogue and among the first hundred
 * used, else `other`. Names invented by clients never become time series.
 */
export function createModelLabels(isListed: (name: string) => boolean): (name: unknown) => string {
  const used = new Set<string>();
  return (name) => {
    if (typeof name !== 'string') return OTHER;
    if (used.has(name)) return name;
    if (used.size >= MAX_LABELS || !isListed(name)) return OTHER;
    used.add(name);
    return name;
  };
}

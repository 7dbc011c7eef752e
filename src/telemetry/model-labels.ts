/** Names that become labels in the life of a process: each is some dozens of time series. */
const MAX_LABELS = 100;
const OTHER = 'other';

/**
 * Gives the label of a model: its public name where the catalogue has it, for the first hundred that are used, else `other`. What people
 * invent never becomes a time series.
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

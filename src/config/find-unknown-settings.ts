/** Variables of `compose.yaml`, of Node.js and of libraries, which may be in a `.env` file. */
const FOREIGN =
  /^(?:POSTGRES_PASSWORD|BIND_ADDRESS|TELEGRAM_API_(?:ID|HASH)|TZ|LANG|LC_\w+|(?:COMPOSE|DOCKER|NODE|NPM|OTEL|PG|SSL|UV)_?\w*|(?:HTTPS?|NO|ALL)_PROXY)$/i;

/**
 * Returns a message for each unknown name in a `.env` file, with the most similar setting, if any.
 * @param known names of settings and other variables in use.
 */
export function findUnknownSettings(fileNames: readonly string[], known: readonly string[]): string[] {
  return fileNames
    .filter((name) => !known.includes(name) && !FOREIGN.test(name))
    .map((name) => {
      const nearest = findNearest(name, known);
      return `${name} is not a setting. ${nearest === undefined ? '.env.example lists all settings' : `Did you mean ${nearest}?`}`;
    });
}

function findNearest(name: string, known: readonly string[]): string | undefined {
  const bound = Math.min(4, Math.floor(name.length / 2));
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: countEdits(name.toUpperCase(), candidate) }))
    .filter(({ distance }) => distance <= bound)
    .sort((left, right) => left.distance - right.distance);
  return nearest?.candidate;
}

/** Returns the Levenshtein distance. */
function countEdits(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}

/** Returns a function that runs `action` at the first call; later calls return the same promise. */
export function once<Result>(action: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= action();
    return running;
  };
}

/** Base addresses besides `/ai/openai`: many clients append `/v1` by themselves, or ask for a host alone. */
const OTHER_BASE = /^\/+(?:ai\/+openai\/+)?v1(?=[/?#]|$)/;

/** Returns the path and query under which a request is served: `/v1/models` and `/ai/openai/v1/models` are `/ai/openai/models`. */
export function toServedUrl(url: string): string {
  return url.replace(OTHER_BASE, '/ai/openai');
}

/** Returns the path of a request's address, without query and fragment. */
export function toPath(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? '';
}

/** Whether a path (without query) is below the generation API, where paths hold no ids of files. */
export function isGenerationPath(path: string): boolean {
  return /^\/+(?:ai|v1)(?:\/|$)/.test(path);
}

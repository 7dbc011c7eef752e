/** Alternative base paths besides `/ai/openai`: many clients append `/v1` themselves or accept only a host. */
const OTHER_BASE = /^\/+(?:ai\/+openai\/+)?v1(?=[/?#]|$)/;

/**
 * Returns the path and query under which a request is routed: `/v1/models` and `/ai/openai/v1/models` become
 * `/ai/openai/models`.
 */
export function toServedUrl(url: string): string {
  return url.replace(OTHER_BASE, '/ai/openai');
}

/** Returns the path of a request's URL, without query and fragment. */
export function toPath(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? '';
}

/** Returns true if a path (without query) belongs to the generation API, whose paths contain no file ids. */
export function isGenerationPath(path: string): boolean {
  return /^\/+(?:ai|v1)(?:\/|$)/.test(path);
}

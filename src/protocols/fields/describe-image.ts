/** Stands for images of an earlier answer. Hosts accept images of users only, so the model reads that there were some. */
export const IMAGE_IN_HISTORY = '[Image]';

/** Describes an image of an answer for dialects whose answers are text. */
export function describeImage(url: string): string {
  return url.startsWith('data:')
    ? 'The model answered with an image, which this API can not return. POST /ai/openai/chat/completions returns it.'
    : `![Image](${url})`;
}

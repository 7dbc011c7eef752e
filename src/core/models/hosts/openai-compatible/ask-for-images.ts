import type { HttpResponse } from '../../../../lib/http/http-client.ts';
import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
import { printJson } from '../../../../lib/json/large-json.ts';
import { readJson } from '../../../../lib/json/read-json.ts';
import { toErrorOfBody } from '../../../../protocols/error-answer.ts';
import type { ImageQuestion } from '../../../../protocols/openai-media/images/print-request.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';

const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/**
 * Sends a request for images and reads the response.
 * @throws ProviderError, also for an error with status 200; the signal's reason.
 */
export async function askForImages(
  {
    provider,
    endpoint,
    secrets,
  }: { readonly provider: string; readonly endpoint: Endpoint; readonly secrets: readonly string[] },
  { url, contentType, body, model }: ImageQuestion,
  signal: AbortSignal,
): Promise<JsonObject> {
  const http = await endpoint.open(
    {
      method: 'POST',
      url,
      headers: { accept: 'application/json', 'content-type': contentType },
      body: Buffer.isBuffer(body) ? body : await printJson(body),
      model,
      startMs: endpoint.timeouts.totalMs,
    },
    signal,
  );
  try {
    const answer = await readJson(await readWhole(http));
    if (!isJsonObject(answer))
      throw new ProviderUnavailableError(provider, `${provider} sent something that is not an image`, {
        isBadAnswer: true,
      });
    if (answer.error !== undefined && answer.error !== null && answer.error !== '')
      throw toErrorOfBody(provider, answer, secrets);
    return answer;
  } catch (error) {
    throw endpoint.toError(error, signal);
  } finally {
    http.close();
  }
}

/**
 * Some hosts send the headers at once and generate before the first byte of the body, so the idle timeout starts with
 * that byte.
 */
async function readWhole(http: HttpResponse): Promise<Buffer> {
  const first = await http.read();
  http.markStarted();
  if (first === undefined) return Buffer.alloc(0);
  return Buffer.concat([first, await http.readAll(MAX_ANSWER_BYTES - first.length)]);
}

import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { printJsonInParts } from '../../lib/json/large-json.ts';
import { type HttpErrorFacts, toErrorBody } from '../http-error.ts';

/** Prints an object as a server-sent event, as OpenAI's protocols do. */
export function printData(object: object): string {
  return `data: ${JSON.stringify(object)}\n\n`;
}

/** The same as `printData` for several objects, some of which are large. */
export function* printLongData(objects: readonly object[]): Generator<string, void, undefined> {
  for (const object of objects) {
    yield 'data: ';
    yield* printJsonInParts(object);
    yield '\n\n';
  }
}

/** Prints the error that ends a stream of chunks. */
export function printErrorChunk(error: HttpErrorFacts): string {
  return printData(toErrorBody(error));
}

/** End of a complete stream. */
export const DONE = 'data: [DONE]\n\n';

/** Returns whether a request asks for a last chunk with the token counts. */
export function wantsUsageChunk({ stream_options: options }: Readonly<JsonObject>): boolean {
  return isJsonObject(options) && options['include_usage'] === true;
}
